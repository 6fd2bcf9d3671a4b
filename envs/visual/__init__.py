"""Worlds to be looked at, and what an agent may say about their state before it acts."""
