"""Claim files: layers, cross-references, and complaints that point into the file."""

import json

import pytest
import yaml

from gymposium.errors import UsageError
from gymposium.scenarios.claim import ClaimFile
from gymposium.scenarios.load_claims import load_claims, named_claims, parse_claims

FILE = """\
title: t
paper: {title: T, authors: A, venue: V, year: 2025, link: "https://example.org/t"}
common:
  play: {world: iterated_matrix-v0, params: {rounds: 3}, agents: [random]}
arms:
  short: {level: 1}
  long:
    level: 2
    play:
      params: {rounds: 9}
scales:
  smoke: {seeds: 1, common: {play: {params: {rounds: 1}}}}
  cpu: {seeds: 5}
  full: {seeds: 9, arms: {long: {play: {params: {rounds: 99}}}}}
claims:
  - name: c
    sentence: Long games earn more.
    compare: difference
    metric: return
    arm: long
    versus: short
    paper: {text: so it says}
"""


def parse(*changes):
    text = FILE
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return parse_claims(text.encode(), "x.yaml")


def test_layers_are_joined_in_order():
    file = parse()
    rounds = {
        (scale, name): arm.play.worlds[0].params["rounds"]
        for scale in ("smoke", "cpu", "full")
        for name, arm in file.arms_at(scale).items()
    }
    assert rounds == {
        ("smoke", "short"): 1,
        ("smoke", "long"): 1,
        ("cpu", "short"): 3,
        ("cpu", "long"): 9,
        ("full", "short"): 3,
        ("full", "long"): 99,
    }


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("title: t\n", "title: t\ntitel: t\n", r"x.yaml:2: titel: unknown.*mean 'title'"),
        ("rounds: 3}, agents", "rounds: 3}, agent", r"x.yaml:4: arms.short.play.agent: .*'agents'"),
        (
            "      params: {rounds: 9}",
            "      parms: 1",
            r"x.yaml:10: arms.long.play.parms: unknown",
        ),
        ("{rounds: 99}}", "{rounds: 99}, sede: 1}", r"x.yaml:14: arms.long.play.sede: unknown"),
        ("    arm: long", "    arm: lng", r"x.yaml:20: claims\[0\].arm: .*did you mean 'long'"),
        ("title: t\n", 'title: ""\n', r"x.yaml:1: title: found ''; allowed: a text of at least 1 "),
        ("compare: difference", "compare: diff", r"x.yaml:18: .*allowed: value, difference"),
        ("full: {seeds: 9, arms: {long", "full: {seeds: 9, arms: {lnog", r"x.yaml:14: .*'long'"),
        ("  cpu: {seeds: 5}\n", "", r"scales.cpu: this field is missing; it is: minutes on two"),
        ("    versus: short\n", "", r"claims\[0\].versus: a difference needs 'versus'"),
        (
            "    versus: short",
            "    margin: 1\n    versus: short",
            r"'margin' is for an equivalence",
        ),
        ("{text: so it says}", "{where: Table 1}", r"x.yaml:22: .*needs a 'value' or a 'text'"),
        ("short: {level: 1}", "short: {level: 1, study: 'a.b:c'}", r"found play and study"),
        ("short: {level: 1}", "short: {params: {a: 1}}", r"'params' is for a study"),
        ("      params: {rounds: 9}", "      seed: 4", r"x.yaml:10: .*the seeds are the scale's"),
        ("https://example.org/t", "javascript:x", r"x.yaml:2: paper.link"),
    ],
)
def test_a_mistake_is_answered_with_file_line_field_and_remedy(old, new, words):
    with pytest.raises(UsageError, match=words):
        parse((old, new))


def test_a_slope_needs_levels_that_differ():
    slope = ("compare: difference", "compare: slope"), ("    arm: long\n    versus: short\n", "")
    assert parse(*slope).levels(parse(*slope).claims[0], "cpu") == {"short": 1.0, "long": 2.0}
    with pytest.raises(UsageError, match="two 'level's that differ"):
        parse(*slope, ("level: 2", "level: 1"))


def test_a_training_arm_has_one_method():
    train = "train: {method: ippo, world: iterated_matrix-v0, budget: {steps: 100}}"
    lines = (
        "  play: {world: iterated_matrix-v0, params: {rounds: 3}, agents: [random]}",
        f"  {train}",
    )
    body = ("    play:\n      params: {rounds: 9}", "    train: {budget: {steps: 200}}")
    scales = ("smoke: {seeds: 1, common: {play: {params: {rounds: 1}}}}", "smoke: {seeds: 1}")
    full = (", arms: {long: {play: {params: {rounds: 99}}}}", "")
    file = parse(lines, body, scales, full)
    arm = file.arms_at("cpu")["long"].train
    assert [entry.spec for entry in arm.methods] == ["ippo"]
    assert arm.budget.steps == 200
    with pytest.raises(UsageError, match="an arm trains one 'method'"):
        parse((lines[0], lines[1].replace("method: ippo", "methods: [ippo]")), body, scales, full)


@pytest.mark.parametrize("name", named_claims())
def test_shipped_claim_files_are_sound_and_fit_the_json_schema(name):
    import jsonschema

    file = load_claims(name)
    assert file.name == name
    assert file.scale("smoke").seeds <= file.scale("cpu").seeds <= file.scale("full").seeds
    schema = json.loads(json.dumps(ClaimFile.model_json_schema()))
    data = yaml.safe_load(named_claims()[name].read_text("utf-8"))
    jsonschema.validate({"name": name, **data}, schema)
