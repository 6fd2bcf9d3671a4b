"""gymposium: any agent in any seat of any world, and the one arena that runs them."""

__version__ = "0.1.0"
