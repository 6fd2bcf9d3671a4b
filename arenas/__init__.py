"""The meeting place: match loop, tournament, ratings, store, executors and report."""
