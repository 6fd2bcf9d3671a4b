"""Where matches are played: in this process (``inline``)."""
