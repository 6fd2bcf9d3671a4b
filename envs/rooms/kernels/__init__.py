"""The compiled inner loops of the geometry of rooms."""
