"""Where models run: one protocol, and what implements it."""
