"""The icon to redraw: what a reply earns, ends and shows."""

import numpy as np
import pytest

from gymposium.agents.scripted.drawings import SvgBlank, SvgMosaic
from gymposium.envs import registry
from gymposium.errors import MissingExtra, UsageError

SEAT = "player_0"


def world(**params):
    return registry.make_world("svg_reconstruction-v0", **params)


def answer(document):
    return f"<answer>{document}</answer>"


def test_the_icons_own_document_earns_everything():
    icons = world(turns=1)
    for seed in range(5):
        icons.reset(seed)
        icons.step({SEAT: answer(icons.icon)})
        assert icons.outcome.returns[SEAT] == pytest.approx(3.5, abs=1e-6)
        assert icons.outcome.metrics["similarity"] == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("reply", [None, "", "<answer></answer>", answer("<svg"), "no idea"])
def test_a_reply_without_a_document_ends_the_match_with_nothing(reply):
    icons = world()
    icons.reset(0)
    assert icons.step({SEAT: reply}) == {}
    outcome = icons.outcome
    assert outcome.returns[SEAT] == 0
    assert outcome.terminated[SEAT]
    assert outcome.metrics["valid_rate"] == 0
    assert outcome.final_observations[SEAT]["text"].startswith("Nothing was drawn")


@pytest.mark.parametrize("shows", ["text", "image", "both"])
def test_icon_and_drawing_are_shown_as_pictures_in_words_or_both(shows):
    icons = world(shows=shows)
    first = icons.reset(2)[SEAT]
    square = (
        "<svg viewBox='0 0 12 12'><rect x='3' y='3' width='6' height='6' fill='#123456'/></svg>"
    )
    second = icons.step({SEAT: answer(square)})[SEAT]
    assert [len(turn.images) for turn in (first, second)] == ([0, 0] if shows == "text" else [1, 2])
    assert ("image" in second.observation) == (shows != "text")
    assert icons.seats[SEAT].observation_space.contains(second.observation)
    told = icons.describe(SEAT, second.observation, second.info)
    assert told.startswith("Your document was drawn: ")
    assert ("The icon: " in told) == (shows != "image")
    assert ("Your drawing: colours #123456; ink" in told) == (shows != "image")
    assert ("\n...######+..\n" in told) == (shows != "image")


def test_the_format_is_paid_apart_from_the_likeness():
    icons = world(turns=1, strategy="world_modeling", format_reward=2)
    icons.reset(1)
    loose = f"well: {answer(icons.icon)}"
    icons.step({SEAT: loose})
    assert icons.outcome.returns[SEAT] == pytest.approx(3, abs=1e-6)
    icons.reset(1)
    parts = "<observation>a</observation><reasoning>b</reasoning><prediction>c</prediction>"
    icons.step({SEAT: f"<think>{parts}</think>{answer(icons.icon)}"})
    assert icons.outcome.returns[SEAT] == pytest.approx(5, abs=1e-6)


def test_the_first_document_counts_and_the_next_picture_is_what_it_drew():
    icons = world()
    turn = icons.reset(3)[SEAT]
    assert len(turn.images) == 1
    assert (turn.images[0] == turn.observation["target"]).all()
    black, white = (
        f"<svg><rect width='256' height='256' fill='{c}'/></svg>" for c in ("#000", "#fff")
    )
    turn = icons.step({SEAT: answer(f"{black}~~{white}")})[SEAT]
    assert (turn.images[1] == 0).all()
    assert len(turn.images) == 2
    assert icons.step({SEAT: answer(white)}) == {}
    assert icons.outcome.truncated[SEAT]
    assert icons.outcome.tables["turns"]["valid"] == [True, True]


def test_a_bare_document_is_read_as_an_answer_where_nothing_else_is_asked_for():
    document = "<svg><rect width='9' height='9'/></svg>"
    for strategy, expected in (("no_think", answer(document)), ("free_think", document)):
        icons = world(strategy=strategy)
        turn = icons.reset(0)[SEAT]
        read = icons.words.parse(SEAT, document, turn.observation, turn.info)
        assert read == expected


def test_a_reply_as_an_object_is_as_good_as_tags():
    icons = world(turns=1, strategy="free_think")
    turn = icons.reset(2)[SEAT]
    assert set(turn.schema["required"]) == {"think", "action"}
    assert turn.schema["properties"]["action"]["items"]["maxLength"] == icons.params.longest
    text = '{"think": "so", "action": ["' + icons.icon.replace('"', "'") + '"]}'
    icons.step({SEAT: icons.words.parse(SEAT, text, turn.observation, turn.info)})
    assert icons.outcome.returns[SEAT] == pytest.approx(3.5, abs=1e-6)


def test_finer_mosaics_are_more_alike_and_any_beats_a_blank_sheet():
    def mean(bot):
        icons, found = world(turns=1), []
        for seed in range(12):
            turn = icons.reset(seed)[SEAT]
            icons.step({SEAT: bot.act(turn)})
            found.append(icons.outcome.metrics["similarity"])
        return np.mean(found)

    found = [mean(bot) for bot in (SvgBlank(), SvgMosaic(4), SvgMosaic(12), SvgMosaic(24))]
    assert found == sorted(found)
    assert found[0] < 0.45 < 0.8 < found[3]


def test_icons_come_from_a_folder_if_there_is_one(tmp_path):
    (tmp_path / "a.svg").write_text("<svg viewBox='0 0 2 2'><rect width='1' height='2'/></svg>")
    icons = world(icons=str(tmp_path))
    assert (icons.reset(0)[SEAT].observation["target"][:, :128] == 0).all()


def test_wrong_parameters_are_named():
    for params, said in (
        ({"turns": 0}, "turns must be"),
        ({"primitives": 7}, "primitives must be"),
        ({"cosine": -1}, "cosine must be"),
        ({"strategy": "guess"}, "unknown strategy"),
    ):
        with pytest.raises(UsageError, match=said):
            world(**params)
    with pytest.raises(UsageError, match="cells must be"):
        SvgMosaic(0)


def test_without_the_rasteriser_the_extra_is_named(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "resvg_py", None)
    icons = world()
    with pytest.raises(MissingExtra, match=r"gymposium\[visual\]"):
        icons.reset(123_456)


def test_a_bot_that_copies_pictures_says_that_it_needs_them():
    icons = world(shows="text")
    bot = SvgMosaic()
    bot.reset(SEAT, 0)
    with pytest.raises(UsageError, match="set shows to image or both"):
        bot.act(icons.reset(0)[SEAT])
