"""Drawings in SVG: read with care, rasterised, made up, compared."""
