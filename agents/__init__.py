"""The minds. They know the Turn they are handed, never a world's internals."""
