"""Peer review: manuscripts, compared in pairs or rated, by whoever sits in the reviewers' seats."""

from ..registry import WorldSpec, register

register(
    WorldSpec(
        id="peer_review-v0",
        entry_point="gymposium.envs.peer_review.peer_review:PeerReview",
        summary="Reviewers compare manuscripts two at a time, or rate them; which are the best?",
        seats=(1, 100),
        kind="mixed",
        turn_based=True,
        tags=("peer review", "judgement", "ranking", "language", "comparison"),
        presets={
            "pairwise": {},
            "ratings": {"task": "rate"},
            "swiss": {"pairing": "swiss", "size": 16, "budget": 48},
            "named": {"blind": False, "ties": True, "reviewers": 1},
        },
    )
)
