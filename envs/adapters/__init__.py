"""Other people's worlds under a prefix: ``gymnasium:CartPole-v1`` sits beside ours.

``gymnasium:ID``, ``pettingzoo:FAMILY/ID``, ``mesa:PACKAGE.MODULE:MODEL``, ``openspiel:GAME`` and
``textarena:ID`` are worlds of the arena like any other: seats, turns, words, masks, records. What
cannot be asked of somebody else's world is said in :mod:`.foreign`.
"""

from __future__ import annotations

from gymposium.errors import UnknownName, UsageError

ADAPTERS = {
    "gymnasium": ("gymposium.envs.adapters.gymnasium_world:GymnasiumWorld", "one seat"),
    "mesa": ("gymposium.envs.adapters.mesa_world:MesaWorld", "Mesa models with a decision hook"),
    "openspiel": ("gymposium.envs.adapters.openspiel_world:OpenSpielWorld", "games of OpenSpiel"),
    "pettingzoo": ("gymposium.envs.adapters.pettingzoo_world:make", "Parallel or AEC"),
    "textarena": ("gymposium.envs.adapters.textarena_world:TextArenaWorld", "text games"),
}
"""Prefix -> (what makes the world, what it is)."""


def split(id: str) -> tuple[str, str]:
    """Prefix and the library's own id of ``prefix:id``.

    Raises:
        UnknownName: no such prefix.
        UsageError: nothing follows it.
    """
    prefix, _, name = id.partition(":")
    if prefix not in ADAPTERS:
        raise UnknownName("kind of world", prefix, ADAPTERS, where=id)
    if not name:
        raise UsageError(f"{id!r}: say which world, as in gymnasium:CartPole-v1")
    return prefix, name
