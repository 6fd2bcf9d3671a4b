"""Worlds whose reward is paid only if the whole trajectory was cheap enough."""

from ..registry import WorldSpec, register

_HERE = "gymposium.envs.trees"

register(
    WorldSpec(
        id="binary_tree-v0",
        entry_point=f"{_HERE}.binary_tree:BinaryTree",
        summary="Go left or right to a leaf; leaves have costs, and only cheap ones are paid for",
        seats=(1, 1),
        kind="mixed",
        turn_based=True,
        tags=("budget", "curriculum", "exploration"),
        deterministic=True,
        presets={
            "shallow": {"depth": 4},
            "slippery": {"depth": 6, "slip": 0.1},
            "swapped": {"depth": 5, "shuffle": "swaps", "observation": "path"},
        },
    )
)

register(
    WorldSpec(
        id="puddle_grid-v0",
        entry_point=f"{_HERE}.puddle_grid:PuddleGrid",
        summary="Walk to the goal with dry feet; the way through the puddles is shorter",
        seats=(1, 1),
        kind="mixed",
        turn_based=True,
        tags=("budget", "curriculum", "navigation"),
        deterministic=True,
        presets={
            "multi": {"task": "multi"},
            "slippery": {"slip": 0.1},
        },
    )
)

register(
    WorldSpec(
        id="token_budget_math-v0",
        entry_point=f"{_HERE}.token_budget_math:TokenBudgetMath",
        summary="Answer a word problem; a right answer is paid if it is short enough",
        seats=(1, 1),
        kind="mixed",
        turn_based=True,
        tags=("budget", "curriculum", "text", "language"),
        presets={
            "one-step": {"steps": (1, 1), "distractors": 1},
            "told": {"tell_budget": True},
        },
    )
)

register(
    WorldSpec(
        id="teacher_student-v0",
        entry_point=f"{_HERE}.teacher_student:TeacherStudent",
        summary="One seat sets the budget, the other learns to go down a tree under it",
        seats=(2, 2),
        kind="mixed",
        turn_based=True,
        tags=("budget", "curriculum", "teaching"),
        presets={
            "short": {"depth": 2, "rounds": 6, "window": 3, "buckets": 4},
            "told": {"depth": 3, "rounds": 10, "show_budget": True, "buckets": 8},
        },
    )
)
