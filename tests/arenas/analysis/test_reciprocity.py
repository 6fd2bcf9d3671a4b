"""The reciprocity study says of agents with a known character what that character is."""

import re

import pytest

import gymposium
from gymposium.arenas.analysis import reciprocity
from gymposium.arenas.analysis.rates import Rate
from gymposium.arenas.analysis.reciprocity import Played, Wording


class Meaning:
    """Plays by what actions do, not by where they stand; subclasses choose."""

    deterministic = True

    def reset(self, seat, seed):
        both = re.search(r"- you (\w+), \w+ (\w+): you get 3, \w+ gets 3", seat.rules)
        listed = re.search(r"exactly one of: (\w+), (\w+)\.", seat.rules)
        self.cooperate = [listed[1], listed[2]].index(both[1])
        self.history = []

    def act(self, turn):
        own, other = (int(code) for code in turn.observation["last"])
        if own:
            self.history.append((own - 1 == self.cooperate, other - 1 == self.cooperate))
        return self.cooperate if self.choose() else 1 - self.cooperate


class Echo(Meaning):
    """Tit for tat by meaning."""

    def choose(self):
        return self.history[-1][1] if self.history else True


class Saint(Meaning):
    def choose(self):
        return True


class Grudge(Meaning):
    def choose(self):
        return all(other for _, other in self.history)


class Contrary(Meaning):
    def choose(self):
        return not self.history[-1][1] if self.history else False


class Leftist(Meaning):
    """Chooses by a name without meaning where there is one."""

    def reset(self, seat, seed):
        super().reset(seat, seed)
        listed = re.search(r"exactly one of: (\w+), (\w+)\.", seat.rules)
        names = [listed[1], listed[2]]
        self.move = names.index("left") if "left" in names else self.cooperate

    def act(self, turn):
        return self.move


def mumbles(turn):
    return "hm"


FEW = {"repeats": 1, "rounds": 10}


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """Findings about all of them, by name."""
    agents = [Echo, Saint, Grudge, Contrary, Leftist, "scripted:always_cooperate", mumbles]
    out = tmp_path_factory.mktemp("audit") / "here"
    made = gymposium.audit("reciprocity", agents, FEW, out=out)
    names = ["Echo", "Saint", "Grudge", "Contrary", "Leftist", "first", "mumbles"]
    return dict(zip(names, made.findings, strict=True))


def shares(findings, table=0):
    return {row[0]: row[1].share for row in findings.tables[table].rows}


def test_tit_for_tat_answers_in_kind_is_provoked_and_forgives(found):
    seen = shares(found["Echo"])
    assert seen == {
        "opening": 1,
        "after cooperation": 1,
        "after defection": 0,
        "after CC": 1,
        "after CD": 0,
        "after DC": 1,
        "after DD": 0,
        "provoked": 1,
        "forgives one": 1,
        "forgives five": 1,
    }
    assert any("answers in kind" in sentence for sentence in found["Echo"].sentences)


def test_who_always_cooperates_shows_no_reciprocity_and_is_never_provoked(found):
    seen = shares(found["Saint"])
    assert (seen["after cooperation"], seen["after defection"], seen["provoked"]) == (1, 1, 0)
    assert seen["forgives one"] is None  # there was nothing to forgive
    assert seen["after DD"] is None
    assert any("no reciprocity is shown" in sentence for sentence in found["Saint"].sentences)


def test_a_grudge_never_forgives(found):
    seen = shares(found["Grudge"])
    assert (seen["opening"], seen["provoked"], seen["forgives one"], seen["forgives five"]) == (
        1,
        1,
        0,
        0,
    )


def test_who_answers_the_other_way_round_is_told_apart(found):
    assert any("the other way round" in sentence for sentence in found["Contrary"].sentences)


def test_who_plays_by_meaning_is_moved_by_neither_order_nor_name(found):
    for name in ("Echo", "Saint", "Grudge", "Contrary"):
        cannot = shares(found[name], table=2)
        assert cannot["opens with the action listed first"] == 0.5
        assert cannot["opens with the action called left"] == 0.5
        assert (
            cannot["opens by cooperating as player_0"] == cannot["opens by cooperating as player_1"]
        )
        columns = list(zip(*found[name].tables[1].rows, strict=True))[1:]
        assert all(len({rate.share for rate in column} - {None}) <= 1 for column in columns)
        assert not any("order" in sentence for sentence in found[name].sentences)


def test_who_takes_the_first_action_is_found_out(found):
    cannot = shares(found["first"], table=2)
    assert cannot["opens with the action listed first"] == 1
    assert cannot["opens with the action called left"] == 0.5
    assert any("order of the actions moves it" in it for it in found["first"].sentences)


def test_who_goes_by_a_name_is_found_out(found):
    cannot = shares(found["Leftist"], table=2)
    assert cannot["opens with the action called left"] == 1
    assert cannot["opens with the action listed first"] == 0.5


def test_a_turn_without_a_legal_answer_is_no_case(found):
    assert shares(found["mumbles"], table=2)["turns with a legal answer"] == 0
    assert all(row[1] == Rate(0, 0) for row in found["mumbles"].tables[0].rows)


def test_a_match_gives_one_case_of_a_reaction_at_most(found):
    for findings in found.values():
        for name, rate, cases in findings.tables[0].rows:
            assert rate.cases == cases
            assert cases <= findings.matches / (1 if name == "opening" else 5)


def test_a_course_of_cooperation_has_a_point_for_each_round(found):
    lines = found["Echo"].curves[0].lines
    assert [rate.share for rate in lines["provoke"]] == [1, 1, 1, 1, 1, 0, 1, 1, 1, 1]
    assert [rate.share for rate in lines["repent"]] == [1, 0, 0, 0, 0, 0, 1, 1, 1, 1]
    assert [rate.share for rate in lines["unkind"]] == [1] + [0] * 9


def test_only_the_first_occurrence_counts():
    wording = Wording("w", "a", "b", first=True)
    played = Played(
        wording, "coin", "player_0", [True, False, True, None], [True, True, True, False]
    )
    assert played.after(True, True) is False
    assert played.after(False, True) is True
    assert played.after(False, False) is None
    assert played.after_other(False) is None  # nothing came after it


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"rounds": 9}, "from 10 to 1000"),
        ({"rounds": True}, "whole number"),
        ({"repeats": 0}, "from 1"),
        ({"names": ["left", "left"]}, "two names"),
        ({"names": ["left", "defect"]}, "two names"),
        ({"names": "left"}, "two names"),
        ({"repeat": 3}, "did you mean 'repeats'"),
    ],
)
def test_wrong_parameters_are_refused_before_any_match(tmp_path, params, said):
    with pytest.raises(gymposium.UsageError, match=said):
        gymposium.audit("reciprocity", ["random"], params, out=tmp_path / "here")
    assert not (tmp_path / "here").exists()


def test_the_partners_moves_are_mirrored_with_the_wording():
    study = reciprocity.Reciprocity()
    one, two = study._wordings()[:2]
    first, last = study._cell(one, "provoke"), study._cell(two, "provoke")
    assert first["agents"][0]["spec"].endswith("CCCCDC")
    assert last["agents"][0]["spec"].endswith("DDDDCD")
    assert first["params"]["payoffs"][0][1] == last["params"]["payoffs"][1][0] == [0, 5]
    assert first["params"]["actions"] == last["params"]["actions"][::-1]
