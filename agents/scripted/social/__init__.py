"""Bots for the social dilemmas on a grid, one module a world; written on batches of codes."""

from . import clean_up, coins, harvest

BOTS: dict[str, type] = {**clean_up.BOTS, **coins.BOTS, **harvest.BOTS}
