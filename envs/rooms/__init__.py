"""Furnished rooms: what stands where, whether it could stand there, and how well."""
