"""Markets: worlds in which prices are found, by talk or by rule."""

from ..registry import WorldSpec, register

register(
    WorldSpec(
        id="haggling-v0",
        entry_point="gymposium.envs.markets.haggling:Haggling",
        summary="A buyer and a seller with secret values take turns to offer, accept or quit.",
        seats=(2, 2),
        kind="mixed",
        turn_based=True,
        tags=("bargaining", "market", "language", "negotiation"),
        presets={
            "one-good": {},
            "three-goods": {"goods": 3},
            "take-it-or-leave-it": {"rounds": 1},
        },
    )
)
register(
    WorldSpec(
        id="auction-v0",
        entry_point="gymposium.envs.markets.auction:Auction",
        summary="Sealed-bid auctions with private values: first-price, second-price or all-pay.",
        seats=(2, 100),
        kind="mixed",
        turn_based=False,
        tags=("auction", "market"),
        presets={
            "first-price": {"format": "first-price"},
            "second-price": {"format": "second-price"},
            "all-pay": {"format": "all-pay"},
        },
    )
)
