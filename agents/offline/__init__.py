"""Learning from a fixed set of data: what was recorded is all that is known."""
