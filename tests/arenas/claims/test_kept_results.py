"""The results kept in docs/claims: judged again from their figures, and their tables compared."""

import json
from pathlib import Path

import pytest

import gymposium
from gymposium.arenas.claims.plot import draw
from gymposium.arenas.claims.results import make_result
from gymposium.arenas.claims.tables import RESULTS, committed, curves, filled, number, update
from gymposium.errors import StoreError, UnknownName
from gymposium.scenarios.load_claims import load_claims, named_claims

DOCS = Path(__file__).parents[3] / "docs" / "claims"
KEPT = committed(DOCS)
PAGES = [DOCS.with_suffix(".md"), *sorted(DOCS.glob("*.md"))]


@pytest.mark.parametrize("key", KEPT)
def test_a_kept_result_is_what_its_figures_and_the_claim_file_give(key):
    kept = KEPT[key]
    assert key == f"{kept.name}.{kept.scale}"
    file = load_claims(kept.name)
    assert set(kept.measures) == set(file.arms), "the arms have changed: run the claims again"
    again = make_result(file, kept.scale, kept.measured(), kept.origin)
    told = json.loads((DOCS / RESULTS / f"{key}.json").read_text("utf-8"))
    assert differences(told, json.loads(again.to_json())) == []


def differences(one, other, place=""):
    """Where two JSON values differ. Numbers may in the last digits, in which processors do too."""
    if isinstance(one, dict) and isinstance(other, dict) and list(one) == list(other):
        return [d for key in one for d in differences(one[key], other[key], f"{place}/{key}")]
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        pairs = enumerate(zip(one, other, strict=True))
        return [d for i, (a, b) in pairs for d in differences(a, b, f"{place}/{i}")]
    if isinstance(one, float) and isinstance(other, float):
        same = one == other or abs(one - other) <= 1e-9 * max(1.0, abs(one))
    else:
        same = type(one) is type(other) and one == other
    return [] if same else [f"{place}: {one!r}, now {other!r}"]


def test_a_kept_result_differs_where_a_figure_a_word_or_an_entry_does():
    told = {"a": [1.0, {"b": "shown"}], "n": 3}
    assert differences(told, {"a": [1.0 + 1e-14, {"b": "shown"}], "n": 3}) == []
    assert differences(told, {"a": [1.0 + 1e-6, {"b": "shown"}], "n": 3})
    assert differences(told, {"a": [1.0, {"b": "not shown"}], "n": 3})
    assert differences(told, {"a": [1.0], "n": 3})
    assert differences(told, {"a": [1.0, {"b": "shown"}]})
    assert differences(told, {"a": [1.0, {"b": "shown"}], "n": 3.0})


@pytest.mark.parametrize("key", KEPT)
def test_a_kept_result_says_where_it_comes_from(key):
    origin = KEPT[key].origin
    assert origin["commits"]
    assert origin["machine"]["cores"] >= 1
    assert {"python", "numpy", "gymposium"} <= set(origin["versions"])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_tables_are_those_of_the_kept_results(page):
    text = page.read_text("utf-8")
    assert filled(text, KEPT, page, DOCS) == text, "run `gymposium reproduce --tables docs/claims`"


def test_curves_are_means_over_seeds_beside_the_papers_figures():
    kept = KEPT["vagen.cpu"]
    rows = {line.split(" | ")[0][2:]: line for line in curves(kept, "success").splitlines()[2:]}
    assert set(rows) == {arm for arm, found in kept.measures.items() if "success 1" in found}
    for arm, paper in (("full", ".74"), ("base and reward", "–")):
        told = rows[arm].strip("| ").split(" | ")
        means = [kept.measures[arm][f"success {n}"] for n in range(1, 5)]
        assert told[1] == paper
        assert [cell.split(" ")[0] for cell in told[2:]] == [
            number(sum(each) / len(each)) for each in means
        ]


@pytest.mark.parametrize("key", KEPT)
def test_pictures_are_those_of_the_kept_results(key):
    assert (DOCS / RESULTS / f"{key}.svg").read_text("utf-8") == draw(KEPT[key])


@pytest.mark.parametrize("name", named_claims())
def test_a_claim_file_has_a_page_that_shows_its_results(name):
    text = (DOCS / f"{name}.md").read_text("utf-8")
    assert any(f"<!-- results: {key} -->" in text for key in KEPT if key.startswith(f"{name}."))


def test_a_changed_figure_changes_table_and_picture(tmp_path):
    docs = tmp_path / "claims"
    (docs / RESULTS).mkdir(parents=True)
    key = "axelrod-reciprocity.cpu"
    text = (DOCS / RESULTS / f"{key}.json").read_text("utf-8")
    (docs / RESULTS / f"{key}.json").write_text(text, encoding="utf-8")
    page = docs / "page.md"
    page.write_text(f"a\n<!-- results: {key} -->\noutdated\n<!-- end of results -->\nb\n", "utf-8")
    assert set(update(docs)) == {page, docs / RESULTS / f"{key}.svg"}
    before = page.read_text("utf-8")
    assert before.startswith("a\n")
    assert before.endswith("\nb\n")
    assert "outdated" not in before
    assert update(docs) == []
    assert '"verdict": "reversed"' in text
    changed = text.replace('"verdict": "reversed"', '"verdict": "inconclusive"')
    (docs / RESULTS / f"{key}.json").write_text(changed, encoding="utf-8")
    assert len(update(docs)) == 2
    assert page.read_text("utf-8") != before
    page.write_text(
        "<!-- results: axelrod-reciprocity.cpuu -->\n<!-- end of results -->\n", "utf-8"
    )
    with pytest.raises(UnknownName, match=r"axelrod-reciprocity\.cpu"):
        update(docs)


def test_the_arms_still_measure_what_is_kept(tmp_path):
    """One seed of the arms that take no time, measured anew."""
    kept = KEPT["axelrod-reciprocity.cpu"]
    file = load_claims("axelrod-reciprocity")
    from gymposium.arenas.claims.measuring import Measurer

    for name in ("single game", "short shadow"):
        arm = file.arms_at("cpu")[name]
        made = Measurer(name, arm, "cpu", tmp_path).measure(3, "", lambda _: None)
        for measure in ("return.reciprocator", "return.alternator", "return.defector"):
            assert made.measures[measure] == kept.measures[name][measure][3]


def test_the_front_door_gives_the_same_function():
    from gymposium.arenas.claims import reproduce

    assert gymposium.reproduce is reproduce


@pytest.mark.parametrize(
    "spoilt",
    [{"origin": {}}, {"confidence": "much"}, {"seeds": []}, {"paper": {}}, {"scale": None, "x": 1}],
    ids=str,
)
def test_a_kept_result_of_another_shape_is_named_with_its_remedy(tmp_path, spoilt):
    (tmp_path / "results").mkdir()
    path = tmp_path / "results" / "axelrod-reciprocity.cpu.json"
    whole = json.loads((DOCS / "results" / path.name).read_text("utf-8"))
    path.write_text(json.dumps(whole | spoilt), encoding="utf-8")
    with pytest.raises(StoreError, match=f"{path.name} is not a result .*run the claims again"):
        update(tmp_path)
