"""People in seats: the spec ``human`` is whoever sits at this terminal."""
