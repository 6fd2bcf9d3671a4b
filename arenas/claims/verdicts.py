"""The verdict on a claim: shown, not shown, reversed or inconclusive.

The rule looks at the interval only, never at the estimate alone. Say the claim is *above the
bound* (for *below*, turn everything round):

* **shown**: the whole interval lies above the bound.
* **reversed**: the whole interval lies below it.
* **not shown**: the interval reaches the bound, and the seeds settle that no effect worth having is
  there: it lies wholly below ``bound + worth``, the smallest effect that would matter. Without
  ``worth`` that is so only if nothing above the bound is left in the interval.
* **inconclusive**: everything else: the interval holds the bound and effects worth having, there
  are fewer than five seeds, or no interval is known.

An equivalence is shown if the interval lies within the margin, reversed if it lies wholly outside,
and inconclusive otherwise. A run at the smoke scale shows nothing, whatever came out.
"""

from __future__ import annotations

from .statistics import Estimate

SHOWN, NOT_SHOWN, REVERSED, INCONCLUSIVE = "shown", "not shown", "reversed", "inconclusive"
SMOKE = "nothing shown: smoke only"
VERDICTS = (SHOWN, NOT_SHOWN, REVERSED, INCONCLUSIVE, SMOKE)

LEAST_SEEDS = 5
_ROUNDING = 1e-9


def verdict(
    found: Estimate,
    *,
    expect: str = "above",
    bound: float = 0.0,
    worth: float | None = None,
    margin: float | None = None,
    smoke: bool = False,
) -> str:
    """Judge an estimate.

    Args:
        found: the estimate with its interval.
        expect: ``above`` or ``below`` the bound.
        bound: where the claim ends to hold.
        worth: the smallest distance from the bound that would matter.
        margin: of an equivalence; the other three then do not count.
        smoke: the run was at the smoke scale.

    Returns:
        One of ``VERDICTS``.
    """
    if smoke:
        return SMOKE
    if found.low is None or found.high is None or found.seeds < LEAST_SEEDS:
        return INCONCLUSIVE
    low, high = found.low, found.high
    rounding = _ROUNDING * max(abs(low), abs(high), abs(bound))
    if margin is not None:
        if -margin < low and high < margin:
            return SHOWN
        return REVERSED if low > margin or high < -margin else INCONCLUSIVE
    if expect == "below":
        low, high, bound = -high, -low, -bound
    if low > bound + rounding:
        return SHOWN
    if high < bound - rounding:
        return REVERSED
    nothing_left = high <= bound + rounding or high < bound + (worth or 0.0)
    return NOT_SHOWN if nothing_left else INCONCLUSIVE
