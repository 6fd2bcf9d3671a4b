"""Reports: what a run found, as a self-contained page and as a table for the terminal."""
