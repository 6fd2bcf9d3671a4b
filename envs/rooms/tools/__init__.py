"""The tools that planners furnish rooms with, each with a card that says what it is for."""
