"""Robust planning in two-player zero-sum Markov games, from a known game or from data."""
