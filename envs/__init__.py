"""The worlds. They know nothing of agents or arenas."""
