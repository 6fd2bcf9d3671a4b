"""What the report tells of each turn: picture, belief, truth, action, reward."""

from __future__ import annotations

import base64
import html
import io
import json
import re

import numpy as np
import pytest
from PIL import Image

import gymposium
from gymposium.arenas.report import transcripts
from gymposium.arenas.report.labels import Labels
from gymposium.arenas.report.pictures import SIDE, data_uris
from gymposium.arenas.report.transcripts import tell

READER = "scripted:puzzle_responder?seeing=0.5&foreseeing=0.5"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> gymposium.Run:
    scenario = {
        "name": "lake",
        "world": "frozen_lake-v0",
        "params": {"shows": "both", "pixels": 80},
        "schedule": {"kind": "round_robin", "self_play": False, "repeats": 3},
    }
    return gymposium.run(scenario, [READER], out=tmp_path_factory.mktemp("runs") / "run")


def told(run: gymposium.Run) -> list[transcripts.Transcript]:
    labels = Labels()
    return tell([labels.of(run.transcript(row.key)) for row in run.rows])


def test_each_turn_has_its_picture_belief_truth_action_and_reward(run: gymposium.Run) -> None:
    turns = run.world_table("turns")
    for row, match in zip(run.rows, told(run), strict=True):
        rows = turns[turns["match"] == row.key].to_dict("records")
        assert len(rows) == len(match.steps)
        for step, true in zip(match.steps, rows, strict=True):
            account, (said,) = dict(step.account), step.said
            for name in ("observation", "prediction", "executed", "state_before", "state"):
                assert account[name.replace("_", " ")] == true[name]
            head, _, data = said.pictures[0].partition(",")
            assert head == "data:image/png;base64"
            assert Image.open(io.BytesIO(base64.b64decode(data))).size == (80, 80)
        earned = sum(float(step.said[0].earned.replace("−", "-")) for step in match.steps)
        assert earned == pytest.approx(row.seats[0].return_, abs=0.02)


def test_the_page_holds_them_and_fetches_nothing(run: gymposium.Run) -> None:
    page = run.report().read_text("utf-8")
    assert page.count('<img src="data:image/png;base64,') == len(run.world_table("turns"))
    assert not re.search(r"""(src|href)=["'](?!data:image/png;base64,)""", page)
    truth = run.world_table("turns")["state_before"][0]
    assert html.escape(truth, quote=True).replace("&quot;", "&#34;") in page
    assert json.loads(truth)["player"]


def test_pictures_are_small_and_one_that_cannot_be_drawn_is_left_out() -> None:
    (uri,) = data_uris(lambda: [np.zeros((900, 300, 3), np.uint8)])
    picture = Image.open(io.BytesIO(base64.b64decode(uri.partition(",")[2])))
    assert max(picture.size) == SIDE
    assert data_uris(lambda: 1 / 0) == []  # type: ignore[arg-type, return-value]
    assert data_uris(lambda: ["<script>"]) == []  # type: ignore[list-item]


def test_all_pictures_together_stay_within_what_a_page_can_carry(
    run: gymposium.Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = sum(map(len, [uri for match in told(run) for uri in transcripts._pictures(match)]))
    monkeypatch.setattr(transcripts, "PICTURES", whole // 2)
    less = sum(map(len, [uri for match in told(run) for uri in transcripts._pictures(match)]))
    assert less <= whole // 2


def test_a_table_that_was_tampered_with_takes_only_itself_away(run: gymposium.Run) -> None:
    lines = run.transcript(run.rows[0].key)
    for spoilt in ({"turns": {"$array": "?"}}, {"turns": [1]}, {"turns": {"state": 7}}, "no"):
        lines[-1]["outcome"]["tables"] = spoilt
        (match,) = tell([lines])
        assert match.steps
        assert not any(step.account for step in match.steps)
        assert match.returns
