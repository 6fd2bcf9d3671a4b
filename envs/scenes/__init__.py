"""Scenes of solids in three dimensions, and pictures of them."""
