"""A person's seat: what is shown, what is understood, and how it ends."""

import asyncio
import io
import threading
import time

import numpy as np
import pytest

import gymposium
from gymposium.agents.human import terminal as terminals
from gymposium.agents.human.answers import legal_answers
from gymposium.agents.human.pictures import half_blocks
from gymposium.agents.human.terminal import Terminal
from gymposium.agents.random_agent import RandomAgent
from gymposium.agents.registry import resolve
from gymposium.arenas.schedule import match_seed
from gymposium.envs.registry import make_world, specs


@pytest.fixture
def typed(monkeypatch):
    """Makes a person who types these lines; returns where they read."""

    def sit(*lines):
        sink = io.StringIO()
        source = io.StringIO("".join(f"{line}\n" for line in lines))
        monkeypatch.setattr("sys.stdin", source)
        monkeypatch.setattr("sys.stdout", sink)
        return sink

    return sit


def play(tmp_path, *agents, world="iterated_matrix-v0", time_limit=30.0, reasks=2, **params):
    scenario = gymposium.load_scenario(
        {
            "name": "table",
            "worlds": [{"id": world, "params": params}],
            "schedule": {"rotate_seats": False, "self_play": False},
            "time_limit": time_limit,
            "reasks": reasks,
            "agents": list(agents),
        }
    )
    return gymposium.run(scenario, out=tmp_path / "run")


def returns(run):
    return {seat.seat: seat.return_ for row in run.rows for seat in row.seats}


def test_a_person_is_an_agent_of_the_one_match_loop_and_is_recorded(typed, tmp_path):
    seen = typed("cooperate", "I choose to defect.")
    run = play(tmp_path, "human", "scripted:tit_for_tat", rounds=2)
    assert returns(run) == {"player_0": 8.0, "player_1": 3.0}
    steps = run.transcript(run.rows[0].key)[1:-1]
    said = [step["replies"]["player_0"]["text"] for step in steps]
    assert said == ["cooperate", "I choose to defect."]
    text = seen.getvalue()
    assert "The game has 2 rounds." in text  # the rules
    assert "You may answer: cooperate, defect" in text
    assert "player_1 chose cooperate; you got 3" in text  # what just happened
    assert "Since your last turn you got 3." in text
    assert "player_0 ends with 8." in text


def test_a_person_is_asked_again_with_the_reason_more_often_than_agents_are(typed, tmp_path):
    seen = typed(*["perhaps"] * 7, "defect")
    run = play(tmp_path, "human", "scripted:always_defect", rounds=1, reasks=0)
    seat = run.rows[0].seats[0]
    assert seat.faults == {}
    assert seen.getvalue().count("cannot tell which option 'perhaps' means") == 7
    assert seen.getvalue().count("Round 1 of 1.") == 1  # told once, not with each question


def test_no_time_limit_applies_to_a_person(typed, tmp_path, monkeypatch):
    typed("defect")
    read = Terminal._line

    def slowly(self):
        time.sleep(0.4)
        return read(self)

    monkeypatch.setattr(Terminal, "_line", slowly)
    run = play(tmp_path, "human", "scripted:always_defect", rounds=1, time_limit=0.05)
    assert run.rows[0].seats[0].faults == {}
    assert returns(run)["player_0"] == 1.0


def test_commands_answer_themselves_and_are_no_moves(typed, tmp_path):
    seen = typed("rules", "/help", "", "/dance", "defect")
    play(tmp_path, "human", "scripted:always_defect", rounds=1)
    text = seen.getvalue()
    assert text.count("The game has 1 rounds.") + text.count("The game has 1 round.") == 2
    assert text.count("/rules, /help and /quit work at any time") == 3
    assert "there is no command /dance" in text


def test_a_word_that_the_world_takes_for_an_answer_is_no_command(typed, tmp_path):
    typed("quit")
    run = play(tmp_path, "human", "scripted:linear_bargainer", world="haggling-v0", opening="buyer")
    assert "the buyer quit" in run.rows[0].reason


@pytest.mark.parametrize(
    ("lines", "why"), [(["/quit"], "you quit"), (["quit"], "you quit"), ([], "the input ended")]
)
def test_leaving_stops_the_match_and_leaves_a_run_that_can_be_resumed(typed, tmp_path, lines, why):
    typed("cooperate", *lines)
    with pytest.raises(gymposium.PlayerLeft, match=f"{why} as player_0 at step 1"):
        play(tmp_path, "human", "scripted:tit_for_tat", rounds=3)
    assert gymposium.load(tmp_path / "run").rows == []
    typed("defect", "defect", "defect")
    run = gymposium.resume(tmp_path / "run")
    assert returns(run)["player_0"] == 7.0


def test_people_who_act_at_once_are_asked_one_after_the_other(typed, tmp_path):
    seen = typed("cooperate", "defect")
    two = [{"spec": "human", "name": "ann"}, {"spec": "human", "name": "bob"}]
    run = play(tmp_path, *two, rounds=1)
    assert returns(run) == {"player_0": 0.0, "player_1": 5.0}
    text = seen.getvalue()
    assert text.index("player_0> cooperate") < text.index("[step 0] player_1")


def test_a_tournament_with_a_person_plays_one_match_at_a_time(typed, tmp_path):
    seen = typed(*["defect"] * 4)
    agents = ["human", "scripted:tit_for_tat", "scripted:grim"]
    run = gymposium.run(
        gymposium.load_scenario(
            {
                "name": "small",
                "world": "iterated_matrix-v0",
                "params": {"rounds": 1},
                "agents": agents,
                "schedule": {"self_play": False, "rotate_seats": True},
            }
        ),
        out=tmp_path / "run",
    )
    assert run.table()["agent"].tolist()[0] == "human"
    # Greeting, question and end of one match, before those of the next.
    order = [line for line in seen.getvalue().splitlines() if line.startswith("— ")]
    assert len(order) == 8
    assert all("You are" in line for line in order[::2])
    assert all("over" in line for line in order[1::2])


@pytest.mark.parametrize("id", [spec.id for spec in specs() if not spec.extras])
def test_a_person_can_play_every_seat_of_every_world_in_words(typed, tmp_path, id):
    world = make_world(id)
    agents = {seat: RandomAgent() for seat in world.seats}
    for number, (seat, agent) in enumerate(agents.items()):
        agent.reset(world.seats[seat], number)
    seed = match_seed(0, id, 0)
    turns, lines = world.reset(seed), []
    for _ in range(12):
        actions = {seat: agents[seat].act(turn) for seat, turn in turns.items()}
        said = [world.words.format(seat, action) for seat, action in actions.items()]
        lines += [line.replace("\n", " ") for line in said]  # a person types one line
        turns = world.step(actions)
        if not turns:
            break
    seen = typed(*lines, "/quit")
    people = [{"spec": "human", "name": seat} for seat in world.seats]
    if turns:
        with pytest.raises(gymposium.PlayerLeft, match="at step 12"):
            play(tmp_path, *people, world=id)
    else:
        assert play(tmp_path, *people, world=id).rows[0].seats[0].faults == {}
    # Every line was understood at once: as many questions as answers, and the quitting.
    asked = sum(seen.getvalue().count(f"{seat}> ") for seat in world.seats)
    assert asked == len(lines) + bool(turns)


def test_what_others_say_cannot_take_over_the_terminal():
    sink = io.StringIO()
    Terminal(io.StringIO(), sink).say("\x1b]0;owned\x07 hello\x1b[2J", "error")
    assert "\x1b" not in sink.getvalue()
    assert "hello" in sink.getvalue()


def test_a_line_that_comes_too_late_goes_to_the_next_question():
    arrived = threading.Event()

    class Slow(io.StringIO):
        def readline(self, *args):
            arrived.wait(10)
            return super().readline(*args)

    terminal = Terminal(Slow("late\nnext\n"), io.StringIO())

    async def impatient():
        async with asyncio.timeout(0.05):
            await terminal.ask("? ")

    with pytest.raises(TimeoutError):
        asyncio.run(impatient())
    arrived.set()
    assert asyncio.run(terminal.ask("? ")) == "late"
    assert asyncio.run(terminal.ask("? ")) == "next"
    assert asyncio.run(terminal.ask("? ")) is None


def test_the_terminal_follows_the_streams_of_the_process(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO())
    first = terminals.this_terminal()
    assert terminals.this_terminal() is first
    monkeypatch.setattr("sys.stdin", io.StringIO())
    assert terminals.this_terminal() is not first


def test_the_spec_says_that_a_person_decides():
    spec = resolve("human")
    assert (spec.human, spec.deterministic, spec.language, spec.isolated) == (
        True,
        False,
        False,
        False,
    )
    with pytest.raises(gymposium.UsageError):
        resolve("human?speed=3")


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ({"enum": ["yes", "no"]}, "yes, no"),
        ({"type": "integer", "minimum": 0, "maximum": 9}, "a whole number from 0 to 9"),
        ({"type": "integer", "minimum": 3, "maximum": 3}, "3"),
        ({"type": "number", "minimum": 0}, "a number of at least 0"),
        ({"type": "number", "maximum": 2.5}, "a number of at most 2.5"),
        ({"type": "string", "maxLength": 5}, "a text of at most 5 characters"),
        ({"type": "string", "maxLength": 0}, "nothing"),
        ({"type": "array", "items": {"type": "boolean"}}, "a list of true or false"),
        ({"anyOf": [{"const": None}, {"enum": [1]}]}, "null\n  or 1"),
        (
            {"type": "object", "properties": {"a": {"enum": ["x"]}, "b": {"type": "null"}}},
            "a: x; b: nothing",
        ),
        ({"not": {}}, '{"not": {}}'),
        ({}, "an answer in words"),
    ],
)
def test_legal_answers_are_said_in_a_line(schema, said):
    assert legal_answers(schema) == said


def test_of_many_choices_only_some_are_listed():
    said = legal_answers({"enum": list(range(1000))})
    assert said.startswith("0, 1, ")
    assert said.endswith("… (960 more)")


def test_a_picture_becomes_two_pixels_a_character():
    image = np.zeros((2, 3, 3), dtype=np.uint8)
    image[0, 0] = (255, 0, 0)
    image[1, 0] = (0, 0, 255)
    text = half_blocks(image, columns=80, lines=20)
    assert text.startswith("\x1b[38;2;255;0;0;48;2;0;0;255m▀")
    assert text.count("▀") == 3
    assert text.endswith("\x1b[0m")


@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (64, 48), (97, 131), (5, 400), (400, 3)])
def test_a_picture_fits_the_terminal(shape):
    image = np.full((*shape, 3), 7, dtype=np.uint8)
    lines = half_blocks(image, columns=40, lines=12).split("\n")
    assert len(lines) <= 12
    assert all(1 <= line.count("▀") <= 40 for line in lines)
