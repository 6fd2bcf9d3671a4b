"""Learning under a budget too tight to learn from: teachers that choose what to train on."""
