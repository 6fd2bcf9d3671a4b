"""Tabular Markov games of two players, and the sets of worlds that one of them might be."""
