"""Bots for the social dilemmas on a grid, one module a world; written on batches of codes."""

from . import clean_up, coins, coop_mining, gift, harvest, matrix_arena, mushrooms

BOTS: dict[str, type] = {
    name: bot
    for world in (clean_up, harvest, coins, coop_mining, gift, mushrooms, matrix_arena)
    for name, bot in world.BOTS.items()
}
