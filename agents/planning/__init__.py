"""Exact planning: what the best possible agent does, where the rules are known and small."""
