"""The words of haggling: what each side is told, and what its answers mean.

Kept apart from the rules (``haggling.py``) because words are functions of seat, observation and
info alone. Plain speech is read as a move; what the other side shall hear stands in ``say``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from gymposium.errors import IllegalAction
from gymposium.types import Action

from .. import speech
from .money import MAX_SAY, amounts, money, object_in, speakable

if TYPE_CHECKING:
    from .haggling import HagglingParams

MOVES = ("offer", "accept", "quit")
OFFER, ACCEPT, QUIT = range(3)
GOODS = ("lamp", "chair", "clock", "rug", "vase", "desk", "mirror", "kettle")
"""What is on sale, by number of goods."""

_OTHER = {"buyer": "seller", "seller": "buyer"}
_SYNONYMS = {
    **dict.fromkeys(("offer", "counter", "counteroffer", "propose", "bid", "ask"), OFFER),
    **dict.fromkeys(("accept", "accepted", "agree", "agreed", "deal", "yes"), ACCEPT),
    **dict.fromkeys(("quit", "leave", "walk away", "no deal", "exit"), QUIT),
}
_QUIT = re.compile(
    r"\b(?:quit|walk(?:ing)? away|no deal|i(?:'|’)m (?:out|leaving)|i leave|i give up)\b"
)
_ACCEPT = re.compile(r"\b(?:accept(?:ed|ing)?|agreed?|deal|i(?:'|’)ll take it|i take it|sold)\b")
_REFUSE = re.compile(
    r"(?:\b(?:not|never|cannot|refuse to|unable to)|n['’]t)\s+(?:\w+\s+){0,2}"
    r"(?:accept|agree|deal|take|quit|walk)|\b(?:unacceptable|disagree|reject|refuse)"
)
_MINE = re.compile(  # an amount the speaker names as its own price
    r"(?<!your )(?<!their )(?<!the )(?<!that )\b(?:offer|propose|bid|ask(?:ing)? for|ask|pay|"
    r"counter|give you|sell (?:it |this )?for|sell at|buy at|price)\b"
    r"(?P<rest>(?:[^.;!?\n]|\.(?=\d)){0,60})"
)


class HagglingWords:
    """The text side of :class:`~gymposium.envs.markets.haggling.Haggling`."""

    params: HagglingParams

    @property
    def goods(self) -> tuple[str, ...]:
        """Names of the goods on sale, in the order of the arrays."""
        return GOODS[: self.params.goods]

    # What a seat is told.

    def rules(self, seat: str) -> str:
        """All that a newcomer in ``seat`` must know to play."""
        p, other = self.params, _OTHER[seat]
        if p.goods == 1:
            things, what, adding, prices, extra = "a lamp", "it", "", "12", ""
        else:
            things = f"{p.goods} goods: {', '.join(self.goods)}"
            what, adding = "each good", ", added up over the goods in the deal"
            pairs = (f'"{good}": {"null" if i else 12}' for i, good in enumerate(self.goods))
            prices, extra = f"{{{', '.join(pairs)}}}", " for each good; null leaves a good out"
        if seat == "buyer":
            secret, gain = f"what {what} is worth to you", "worth minus price"
        else:
            secret, gain = f"what {what} costs you", "price minus cost"
        return "\n".join(
            [
                f"You are the {seat}. You haggle with the {other} over {things}.",
                f"Only you know {secret}; the {other} has a secret of the same kind.",
                f"If the two of you agree, you earn {gain}{adding}. "
                "If you do not agree, both of you earn 0.",
                f"You take turns; each of you has {p.rounds}. In your turn make one move:",
                f"- offer: name a price from 0 to {p.top}, a whole number{extra}.",
                f"- accept: take the {other}'s offer as it stands. "
                "An offer that is not accepted at once is gone.",
                "- quit: end the haggling without a deal.",
                f'In "say" you may tell the {other} something, {MAX_SAY} characters at most.',
                f'Answer like this: {{"move": "offer", "price": {prices}, "say": "That is fair."}} '
                'or {"move": "accept"} or {"move": "quit"}.',
            ]
        )

    def describe(self, seat: str, observation: Any, info: Mapping[str, Any]) -> str:
        """The observation as ``seat`` is told it: own secret, the other's words and offer."""
        other, own = _OTHER[seat], [int(value) for value in observation["values"]]
        verb = "is worth {} to you" if seat == "buyer" else "costs you {}"
        told = [
            f"The {good} {verb.format(value)}." for good, value in zip(self.goods, own, strict=True)
        ]
        if observation["words"]:
            told.append(f'The {other} says: "{observation["words"]}"')
        if observation["on_table"]:
            told.append(self._describe_offer(seat, [int(price) for price in observation["offer"]]))
        else:
            told.append("There is no offer on the table.")
        left = int(observation["rounds_left"])
        if left > 1:
            told.append(f"You have {left} turns left, this one included.")
        elif left == 1 and observation["opened"]:
            told.append(f"This is your last turn; the {other} can still answer it.")
        elif left == 1:
            told.append("This is the last turn of all: an offer can no longer be answered.")
        else:
            told.append("You have no turn left.")
        return "\n".join(told)

    def _describe_offer(self, seat: str, prices: list[int]) -> str:
        other = _OTHER[seat]
        if self.params.goods == 1:
            return f"The {other} offers a price of {prices[0]}."
        listed = [
            f"{good} {price}" for good, price in zip(self.goods, prices, strict=True) if price >= 0
        ]
        left_out = [good for good, price in zip(self.goods, prices, strict=True) if price < 0]
        sentence = f"The {other} offers: {', '.join(listed) or 'nothing at all'}"
        return sentence + (f" (without {', '.join(left_out)})." if left_out else ".")

    # What a seat can answer.

    def action_schema(
        self, seat: str, observation: Any, info: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        """JSON Schema of the moves that are legal now."""
        amount: dict[str, Any] = {"type": "integer", "minimum": 0, "maximum": self.params.top}
        if self.params.goods > 1:
            each = {"anyOf": [amount, {"type": "null"}]}
            amount = {
                "type": "object",
                "properties": dict.fromkeys(self.goods, each),
                "required": list(self.goods),
                "additionalProperties": False,
            }
        say = {"type": "string", "maxLength": MAX_SAY}
        without_price = ["accept", "quit"] if _may_accept(info) else ["quit"]
        return {
            "anyOf": [
                {
                    "type": "object",
                    "properties": {"move": {"const": "offer"}, "price": amount, "say": say},
                    "required": ["move", "price"],
                    "additionalProperties": False,
                },
                {
                    "type": "object",
                    "properties": {"move": {"enum": without_price}, "say": say},
                    "required": ["move"],
                    "additionalProperties": False,
                },
            ]
        }

    def parse(self, seat: str, text: str, observation: Any, info: Mapping[str, Any]) -> Action:
        """The move that ``text`` means: JSON, or plain speech such as "offer 12".

        Raises:
            IllegalAction: it cannot be read, names no legal price, or accepts what is not there.
        """
        found = object_in(text)
        if found is not None:
            action = self._from_json(found)
        else:
            move, price = self._from_speech(speech.clean(text).lower(), observation)
            action = {
                "say": "",
                "move": move,
                "price": self._no_price() if price is None else price,
            }
        if action["move"] == ACCEPT and not _may_accept(info):
            raise IllegalAction(self.nothing_to_accept)
        return action

    def format(self, seat: str, action: Action) -> str:
        """``action`` as JSON; whatever is at its default is left away."""
        move = int(action["move"])
        said: dict[str, Any] = {"move": MOVES[move]}
        price = action["price"]
        if move == OFFER or np.any(price):
            if self.params.goods == 1:
                said["price"] = int(price)
            else:
                said["price"] = {
                    good: int(amount) if amount <= self.params.top else None
                    for good, amount in zip(self.goods, price, strict=True)
                }
        if action["say"]:
            said["say"] = str(action["say"])
        return json.dumps(said, ensure_ascii=False)

    @property
    def nothing_to_accept(self) -> str:
        """Why ``accept`` is refused while there is no offer on the table."""
        return (
            "there is no offer on the table to accept: "
            f'make an offer ("offer" and a price from 0 to {self.params.top}) or quit'
        )

    # Reading answers.

    def _no_price(self) -> Any:
        return 0 if self.params.goods == 1 else np.zeros(self.params.goods, dtype=np.int64)

    def _from_json(self, found: dict[str, Any]) -> dict[str, Any]:
        found = {str(key).strip().lower(): value for key, value in found.items()}
        if isinstance(found.get("action"), dict):
            return self._from_json(found["action"])
        named = found.get("move", found.get("action"))
        price = found.get("price", found.get("prices", found.get("offer")))
        if named is None:
            if price is None:
                raise IllegalAction('"move" is missing: it must be "offer", "accept" or "quit"')
            move = OFFER
        else:
            move = _move(named)
        if price is None and isinstance(named, str) and move == OFFER:
            inside = amounts(named[:200])  # {"move": "offer 12"}
            price = inside[0] if len(inside) == 1 else None
        if move == OFFER and price is None:
            raise IllegalAction(
                f'an offer needs "price": a whole number from 0 to {self.params.top}'
            )
        say = found.get("say")
        if say is not None and not isinstance(say, str):
            raise IllegalAction('"say" must be a text')
        try:
            amount = self._no_price() if price is None else self._price(price)
        except IllegalAction:
            if move == OFFER:
                raise
            amount = self._no_price()  # the price of an accept or a quit means nothing
        return {"say": speakable(say or ""), "move": move, "price": amount}

    def _price(self, value: Any) -> Any:
        top, goods = self.params.top, self.goods
        if len(goods) == 1:
            if isinstance(value, dict):
                value = next(iter(value.values()), None) if len(value) == 1 else None
            if isinstance(value, list) and len(value) == 1:
                value = value[0]
            return money(value, what="the price", top=top)
        if isinstance(value, dict):
            value = {str(key).strip().lower(): amount for key, amount in value.items()}
            unknown = sorted(value.keys() - set(goods))
            if unknown:
                raise IllegalAction(
                    f"{unknown[0][:40]!r} is not on sale; the goods are {', '.join(goods)}"
                )
            value = [value.get(good) for good in goods]
        if not isinstance(value, list) or len(value) != len(goods):
            raise IllegalAction(
                f"the price must name an amount or null for each of {', '.join(goods)}"
            )
        prices = [
            top + 1 if amount is None else money(amount, what=f"the price of the {good}", top=top)
            for good, amount in zip(goods, value, strict=True)
        ]
        return np.array(prices, dtype=np.int64)

    def _from_speech(self, text: str, observation: Any) -> tuple[int, Any]:
        """(move, price or None) that lower-case plain speech means."""
        quits = bool(_QUIT.search(text)) and not _REFUSE.search(text)
        accepts = bool(_ACCEPT.search(_QUIT.sub(" ", text))) and not _REFUSE.search(text)
        named = set(amounts(text))
        if quits and not accepts and not named:
            return QUIT, None
        if accepts and not quits:
            if observation is None or named <= {int(price) for price in observation["offer"]}:
                return ACCEPT, None
            raise IllegalAction(
                'it is not clear whether you accept or offer: say just "accept", '
                'or "offer" and your price'
            )
        if not named or quits:
            raise IllegalAction(
                'the move cannot be read: say "offer" and a price, "accept", or "quit"'
            )
        return OFFER, self._spoken_price(text, named)

    def _spoken_price(self, text: str, named: set[int | float]) -> Any:
        if self.params.goods > 1:
            return self._spoken_prices(text)
        mine = {amount for match in _MINE.finditer(text) for amount in amounts(match["rest"])[:1]}
        for candidates in (mine, named):
            if len(candidates) == 1:
                return self._price(candidates.pop())
        raise IllegalAction('more than one price is named: say "offer" and one price')

    def _spoken_prices(self, text: str) -> Any:
        by_name = {}
        for good in self.goods:
            match = re.search(rf"\b{good}\b([^\n;,.!?]{{0,40}})", text)
            here = amounts(match[1]) if match else []
            if len(here) == 1:
                by_name[good] = here[0]
        if by_name:
            return self._price(by_name)
        return self._price(list(amounts(text)))


def _may_accept(info: Mapping[str, Any]) -> bool:
    mask = info.get("action_mask")
    return mask is None or bool(mask["move"][ACCEPT])


def _move(named: Any) -> int:
    """The move called ``named`` in a JSON answer."""
    if isinstance(named, str):
        word = named[:200].strip(" \t\n.!\"'*`").lower()
        first = word.split(maxsplit=1)[0] if word else ""
        for spelling in (word, first):
            if spelling in _SYNONYMS:
                return _SYNONYMS[spelling]
    raise IllegalAction('"move" must be "offer", "accept" or "quit"')
