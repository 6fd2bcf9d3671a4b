"""Ratings from finished matches: comparisons, Bradley–Terry, intervals and the leaderboard."""
