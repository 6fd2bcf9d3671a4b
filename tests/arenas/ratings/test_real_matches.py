from __future__ import annotations

from pathlib import Path

import gymposium

STRATEGIES = (
    "always_defect", "always_cooperate", "tit_for_tat", "grim", "win_stay_lose_shift",
)  # fmt: skip


def test_always_defect_is_not_crowned_in_played_dilemmas(tmp_path: Path) -> None:
    agents = [f"scripted:{name}" for name in STRATEGIES]
    run = gymposium.run("prisoners-dilemma", agents, out=tmp_path / "run")
    rows = run.leaderboard(bootstrap=50).rows
    found = {row.agent.removeprefix("scripted:"): row for row in rows}
    defector = found["always_defect"]
    assert max(row.rating for row in rows) > defector.rating
    assert found["tit_for_tat"].rating > defector.rating
    assert found["grim"].rating > defector.rating
    assert all(row.connected for row in rows)
    assert defector.rank > 1
