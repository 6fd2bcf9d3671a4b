"""The verbs: what they print, and that programs can read it."""

import json

import pytest
import typer
from typer.testing import CliRunner

from gymposium.cli.app import app
from gymposium.cli.output import print_lines, print_table

runner = CliRunner()
SUMMARY = {
    "run",
    "status",
    "matches",
    "turns",
    "llm_turns",
    "llm_calls",
    "prompt_tokens",
    "completion_tokens",
    "by_tag",
    "cached_calls",
    "cached_tokens",
    "money",
    "normalised",
    "own_answer_share",
    "pooled",
    "faults",
    "metrics",
    "leaderboard",
    "notes",
    "report",
}
VERBS = sorted(typer.main.get_command(app).commands)


def call(*words, code=0):
    """Run a command line; returns its result after checking the exit code."""
    result = runner.invoke(app, [str(word) for word in words])
    assert result.exit_code == code, (result.output, result.stderr)
    return result


def call_json(*words, code=0):
    return json.loads(call(*words, "--json", code=code).stdout)


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


SMALL = """\
name: small
world: iterated_matrix-v0
params: {rounds: 2}
agents: [random, scripted:tit_for_tat, scripted:always_defect]
schedule: {repeats: 3}
metrics: [efficiency]
"""


@pytest.fixture
def small(here):
    (here / "small.yaml").write_text(SMALL, encoding="utf-8")
    return "small.yaml"


def test_what_is_printed_is_never_read_as_emoji(capsys):
    print_lines("agent.py:One: plays :fire:")
    print_table([":fire:"], [["agent.py:One:"]])
    printed = capsys.readouterr().out
    assert "agent.py:One: plays :fire:" in printed
    assert printed.isascii()


DUEL = """
from gymposium.envs.text_worlds.text_world import TextWorld
from gymposium.envs.text_worlds.yardsticks import of_stage


class Duel(TextWorld):
    id = "duel-v0"

    def _cast(self):
        self.main = ("left", "right")
        self.horizon, self.return_range = 1, (0.0, 1.0)
        return dict.fromkeys(self.main, "duellist")

    def _story(self, tale):
        tale.enter("At dawn", self.main)
        picked = yield from tale.choose("Shoot?", ("no", "yes"))
        for one in self.main:
            tale.pay(one, 1.0 - picked[one])

    def _yardsticks(self):
        return of_stage(lambda two: [1.0 - it for it in two], [2, 2])

    def _about(self, seat):
        return "A duel."


class Shooter:
    def act(self, turn):
        return "yes"
"""


def test_a_world_in_a_file_is_played_by_several_workers_replayed_and_told_from_an_agent(here):
    (here / "duel.py").write_text(DUEL, encoding="utf-8")
    (here / "mine.yaml").write_text("worlds: [{id: 'duel.py:Duel', params: {talk: 0}}]")
    agents = ("-a", "duel.py:Shooter", "-a", "llm:scripted/legal", "--trusted")
    told = call_json("tournament", "mine.yaml", *agents, "-o", "two", "-w", "2")
    earned = {it["agent"]: it["mean"] for it in told["normalised"] if it["cell"] is None}
    assert earned["duel.py:Shooter"] == 0
    assert call_json("run", "duel.py:Duel", "-a", "random", "-o", "alone")["matches"] == 1
    assert "as recorded" in call("replay", "two", "1").output
    assert call_json("info", "duel.py:Duel")["type"] == "world"
    assert call_json("info", "duel.py:Shooter")["type"] == "agent"


def test_every_verb_has_help():
    text = call("--help").stdout
    assert {"list", "play", "run", "tournament", "audit"} <= set(VERBS)
    for verb in VERBS:
        assert f" {verb} " in text
        assert "Usage" in call(verb, "--help").stdout


def test_listings_are_json_with_stable_keys():
    found = call_json("list")
    assert sorted(found) == ["agents", "methods", "models", "ratings", "scenarios", "worlds"]
    assert set(found["worlds"][0]) == set(
        ["id", "summary", "seats", "kind", "turn_based", "presets", "tags", "extras", "since"]
    )
    assert set(found["agents"][0]) == {"spec", "summary", "worlds"}
    assert {"name", "family", "description", "worlds", "agents"} <= set(found["scenarios"][0])
    assert {"name", "installed", "path", "summary"} <= set(found["models"][0])
    assert call_json("list", "worlds") == found["worlds"]
    assert call_json("scenario", "list") == found["scenarios"]


def test_listings_for_people_hold_every_entry():
    text = call("list").stdout
    for name in ("iterated_matrix-v0", "scripted:tit_for_tat", "demo", "smollm2-135m"):
        assert name in text


def test_info_of_a_world_shows_rules_parameters_spaces_seats_and_a_schema():
    text = call("info", "iterated_matrix-v0", "-p", "rounds=3").stdout
    for part in ("The game has 3 rounds", "continuation", "Discrete(2)", "player_1", '"enum"'):
        assert part in text
    found = call_json("info", "iterated_matrix")
    assert (found["type"], found["id"]) == ("world", "iterated_matrix-v0")
    assert found["parameters"]["rounds"]["default"] == 10
    assert [seat["id"] for seat in found["seats"]] == ["player_0", "player_1"]


def test_info_of_a_scenario_counts_its_matches():
    assert call_json("info", "demo")["matches"] == 72
    assert "matches: 72" in call("info", "demo").stdout


@pytest.mark.parametrize(
    "spec", ["random", "scripted:tit_for_tat", "scripted:coin?cooperation=0.3"]
)
def test_info_of_an_agent(spec):
    found = call_json("info", spec)
    assert (found["type"], found["spec"]) == ("agent", spec)
    assert spec in call("info", spec).stdout


def test_a_dry_run_prints_the_matches_and_plays_none(here, small):
    matches = call_json("tournament", small, "--dry-run")
    assert len(matches) == 27
    assert matches[0]["seating"] == {"player_0": "random", "player_1": "scripted:tit_for_tat"}
    assert len({match["seed"] for match in matches}) == 3
    assert "player_0: random" in call("scenario", "show", small, "--dry-run").stdout
    assert [path.name for path in here.iterdir()] == ["small.yaml"]


def test_set_reaches_every_field_and_agents_replace_agents(small):
    words = ["--set", "schedule.repeats=1", "--set", "worlds.0.params.rounds=4"]
    found = call_json("scenario", "show", small, *words, "-a", "random", "-a", "scripted:grim")
    assert found["schedule"]["repeats"] == 1
    assert found["worlds"][0]["params"] == {"rounds": 4}
    assert found["agents"] == ["random", "scripted:grim"]


def test_show_prints_yaml_that_is_the_scenario_again(here):
    (here / "again.yaml").write_text(call("scenario", "show", "demo").stdout, encoding="utf-8")
    assert call_json("scenario", "show", "again.yaml") == call_json("scenario", "show", "demo")


def test_validate_says_all_that_is_wrong_in_all_files(here, small):
    (here / "bad.yaml").write_text("world: nowhere-v0\nsede: 1\nreasks: -1\n", encoding="utf-8")
    result = call("scenario", "validate", small, "bad.yaml", code=2)
    assert "small.yaml: fine" in result.stdout
    assert [line.split(":")[2] for line in result.stderr.splitlines()] == ["2", "3"]
    found = call_json("scenario", "validate", small, "bad.yaml", code=2)
    assert [len(entry["problems"]) for entry in found] == [0, 2]


def test_the_printed_schema_accepts_a_scenario():
    import jsonschema
    import yaml

    jsonschema.validate(yaml.safe_load(SMALL), json.loads(call("scenario", "schema").stdout))


def test_run_seats_agents_in_the_order_given(here):
    text = call(
        "run", "iterated_matrix-v0", "-a", "scripted:always_defect", "-a",
        "scripted:always_cooperate", "-p", "rounds=2", "-n", "2", "--out", "r",
    ).stdout  # fmt: skip
    lines = [line for line in text.splitlines() if "player_" in line]
    assert len(lines) == 4
    assert "player_0" in lines[0]
    assert "always_defect" in lines[0]
    assert " 10 " in lines[0]


def test_run_deals_too_few_agents_round_the_table_and_tells_twins_apart(here):
    text = call(
        "run", "iterated_matrix-v0", "-p", "game=public-goods", "-p", "players=3",
        "-a", "random", "-a", "random", "--out", "r",
    ).stdout  # fmt: skip
    assert "random#2" in text
    assert "player_2" in text


def test_run_shows_every_turn_and_answer_in_words(here):
    text = call(
        "run", "iterated_matrix-v0", "-a", "scripted:always_defect", "-p", "rounds=2", "--show",
        "--out", "r",
    ).stdout  # fmt: skip
    assert "[0] to player_0" in text
    assert "Round 2 of 2" in text
    assert "[player_1] defect" in text


def test_what_agents_say_cannot_drive_the_terminal(here):
    (here / "rude.py").write_text(
        "def act(turn):\n    return '\\x1b]0;owned\\x07 cooperate [bold]'\n", encoding="utf-8"
    )
    text = call(
        "run", "iterated_matrix-v0", "-a", "rude.py:act", "-p", "rounds=1", "--trusted", "--show",
        "--out", "r",
    ).stdout  # fmt: skip
    assert "owned" in text
    assert "[bold]" in text
    assert "\x1b]" not in text


def test_run_refuses_more_agents_than_seats(here):
    result = call("run", "iterated_matrix-v0", "-a", "a", "-a", "b", "-a", "c", code=2)
    assert "has 2 seats and 3 agents were given" in result.stderr


def test_doctor_names_what_is_missing_and_fails_only_for_what_is_needed(here, monkeypatch):
    (here / "cache").mkdir()
    monkeypatch.setenv("GYMPOSIUM_CACHE", str(here / "cache"))
    checks = {check["name"]: check for check in call_json("doctor")}
    assert checks["python"]["state"] == "ok"
    assert checks["model smollm2-135m"]["state"] == "missing"
    assert "gymposium models pull" in checks["model smollm2-135m"]["detail"]
    (here / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("GYMPOSIUM_CACHE", str(here / "file" / "below"))
    assert "broken" in call("doctor", code=1).stdout


# Tournaments, from start to report.


def test_a_tournament_ends_with_leaderboard_faults_and_report(here, small):
    result = call("tournament", small, "--out", "t", "--seed", 7)
    parts = ("tit_for_tat", "always_defect", "faults:", "none", "efficiency:", "t/report.html")
    for part in parts:
        assert part in result.stdout
    assert (here / "t" / "report.html").is_file()
    assert "27/27 matches" in result.stderr
    again = call("resume", "t")
    assert "playing 0 matches (27 are done already)" in again.stderr


def test_the_summary_is_json_with_stable_keys(here, small):
    found = call_json("tournament", small, "--out", "t")
    assert set(found) == SUMMARY
    assert found["matches"] == 27
    assert found["own_answer_share"] is None
    assert len(found["leaderboard"]) == 3
    assert call_json("report", "t")["leaderboard"] == found["leaderboard"]


def test_too_few_own_answers_fail_the_tournament(here, small):
    result = call("tournament", small, "--out", "t", "--min-own-answers", "0.8", code=1)
    assert "no language-model turn was played" in result.stderr
    assert (here / "t" / "report.html").is_file()


def test_a_run_is_found_under_runs_by_its_name(here, small):
    call("tournament", small)
    (name,) = [path.name for path in (here / "runs").iterdir()]
    assert name.startswith("small-")
    assert call_json("report", name)["matches"] == 27
    assert f"did you mean '{name}'" in call("report", name[:-1], code=2).stderr


def test_a_spent_budget_says_how_to_go_on_and_resume_does(here):
    (here / "talk.yaml").write_text(
        "world: iterated_matrix-v0\nparams: {rounds: 1}\nschedule: {repeats: 4}\n"
        "agents: [random, 'llm:scripted/STAND_IN']\nbudget: {calls: 3}\n".replace(
            "STAND_IN", stand_in()
        ),
        encoding="utf-8",
    )
    result = call("tournament", "talk.yaml", "--out", "t", "-j", "1", code=1)
    assert "budget of 3 LLM calls is spent" in result.stderr
    assert "gymposium resume t" in result.stderr
    found = call_json("resume", "t", "--budget", "calls=1000")
    assert (found["matches"], found["status"]) == (16, "finished")
    assert found["llm_turns"] == 16


def stand_in():
    from gymposium.agents.language.backends import scripted

    names = getattr(scripted, "SCRIPTS", None) or getattr(scripted, "NAMES", None)
    return sorted(names)[0]
