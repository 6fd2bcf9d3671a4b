"""Watching matches: films, a window and the terminal, for one being played and for a stored one."""
