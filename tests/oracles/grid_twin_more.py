"""Twins of the other grid worlds: Coop Mining, Gift, Mushrooms and Matrix Arena."""

from __future__ import annotations

from .grid_twin import Twin


def order_of(rng, n):
    order = list(range(n))
    for k in range(n - 1, 0, -1):
        m = rng.below(k + 1)
        order[k], order[m] = order[m], order[k]
    return order


class LineTwin(Twin):
    """A world whose seventh action fires one beam, which is not a zap."""

    verb = ""

    def fire(self, chosen):
        order = range(self.n)
        if self.shuffles and any(self.actions[a] == self.verb for a in chosen):
            order = order_of(self.rng, self.n)
        for i in order:
            if self.rest[i][0]:
                self.rest[i][0] -= 1
            elif self.actions[chosen[i]] == self.verb and self.where[i] is not None:
                self.rest[i][0] = self.cooldown
                self.did[i].add(0)
                self.use_beam(i)
        self.after_beams()

    def after_beams(self):
        pass

    def first_on(self, places, me):
        for place in places:
            if place in self.where and self.where.index(place) != me:
                return self.where.index(place)
        return None

    def ray(self, i):
        if self.beam[0] != "line":
            return super().ray(i)
        shape, self.beam = self.beam, ("wide", self.beam[1])
        reached = super().ray(i)
        self.beam = shape
        (r, c), (a, b) = self.where[i], ((1, 0), (0, 1), (-1, 0), (0, -1))[self.facing[i]]
        return [p for p in reached if (p[0] - r) * b == (p[1] - c) * a]


class CoopMiningTwin(LineTwin):
    names = (
        "empty", "wall", "mining beam", "rock", "iron", "gold", "struck", "spawn point",
    )  # fmt: skip
    ground = ("rock", "spawn point")
    verb, shuffles = "mine", True

    def __init__(self, rows, *, p, **rest):
        super().__init__(rows, **{**rest, "beam": ("line", p.mining_range)})
        self.p, self.cooldown = p, p.cooldown
        self.sites = [q for q in self.places if rows[q[0]][q[1]] == "o"]

    def start_item(self, symbol):
        return {"#": "wall", "S": "spawn point", "o": "rock"}[symbol]

    def reset(self, seed, starts=None):
        super().reset(seed, starts)
        self.struck = {}  # place -> [steps left, miners]

    def grow(self):
        gold = (1 - self.p.iron_rate) * self.p.gold_rate
        total = self.p.iron_rate + gold
        for k in self.rng.hits(len(self.sites), total):
            place = self.sites[k]
            if self.items[place] == "rock" and place not in self.where:
                iron = self.rng.uniform() <= self.p.iron_rate / total
                self.items[place] = "iron" if iron else "gold"

    def arrive(self, i):
        pass

    def move(self, chosen):
        super().move(chosen)
        for place in list(self.struck):
            self.struck[place][0] -= 1
            if self.struck[place][0] == 0:
                self.items[place] = "gold"
                del self.struck[place]

    def use_beam(self, i):
        reached = self.ray(i)
        for k, place in enumerate(reached):
            if self.items[place] == "iron":
                self.items[place] = "rock"
                self.paid(i, self.p.iron)
            elif self.items[place] in ("gold", "struck"):
                self.items[place] = "struck"
                self.struck.setdefault(place, [self.p.window, set()])[1].add(i)
            else:
                continue
            reached = reached[: k + 1]
            break
        self.show(reached, "mining beam")

    def paid(self, i, amount):
        self.rewards[i] += amount
        self.did[i].add(1)

    def after_beams(self):
        for place, (_, miners) in list(self.struck.items()):
            if len(miners) >= self.p.min_miners:
                del self.struck[place]
                self.items[place] = "gold"
                if len(miners) <= self.p.max_miners:
                    self.items[place] = "rock"
                    for i in miners:
                        self.paid(i, self.p.gold)


class GiftTwin(LineTwin):
    names = (
        "empty", "wall", "gift beam", "token", "spawn point", *(f"holds {k}" for k in range(1, 8)),
    )  # fmt: skip
    ground = ("spawn point",)
    verb, shuffles = "gift", False

    def __init__(self, rows, *, p, **rest):
        super().__init__(rows, **{**rest, "beam": ("line", p.gift_range)})
        self.p, self.cooldown = p, p.cooldown
        self.sites = [q for q in self.places if rows[q[0]][q[1]] == "t"]

    def start_item(self, symbol):
        return {"#": "wall", "S": "spawn point", "t": "empty"}[symbol]

    def reset(self, seed, starts=None):
        super().reset(seed, starts)
        self.hands = [[0, 0, 0] for _ in range(self.n)]

    def grow(self):
        for k in self.rng.hits(len(self.sites), self.p.rate):
            place = self.sites[k]
            if self.items[place] == "empty" and place not in self.where:
                self.items[place] = "token"

    def arrive(self, i):
        if self.items[self.where[i]] == "token" and self.hands[i][0] < self.p.capacity:
            self.items[self.where[i]] = "empty"
            self.hands[i][0] += 1
            self.did[i].add(1)

    def fire(self, chosen):
        for i, action in enumerate(chosen):
            if self.actions[action] == "consume":
                self.rewards[i] += sum(self.hands[i])
                self.hands[i] = [0, 0, 0]
        self.gifts = []
        super().fire(chosen)

    def use_beam(self, i):
        reached = self.ray(i)
        other = self.first_on(reached, i)
        self.show(reached, "gift beam")
        held = [level for level in range(3) if self.hands[i][level]]
        if other is not None and held:
            finer = min(held[0] + 1, 2)
            if self.hands[other][finer] < self.p.capacity:
                self.gifts.append((i, other, held[0], finer))

    def after_beams(self):
        for giver, _, level, _ in self.gifts:
            self.hands[giver][level] -= 1
        for _, other, level, finer in self.gifts:
            more = self.p.multiplier if finer > level else 1
            self.hands[other][finer] = min(self.hands[other][finer] + more, self.p.capacity)
            self.did[other].add(2)

    def view(self, i, names):
        rows = super().view(i, names)
        held = sum(1 << level for level in range(3) if self.hands[i][level])
        if held:
            rows[9][5] = (names.index(f"holds {held}"), rows[9][5][1])
        return rows


class MushroomsTwin(Twin):
    names = ("empty", "wall", "zap beam", "R", "G", "B", "O")

    def __init__(self, rows, *, p, **rest):
        super().__init__(rows, **rest)
        self.p = p

    def start_item(self, symbol):
        return {".": "empty", "S": "empty", "#": "wall"}.get(symbol, symbol)

    def reset(self, seed, starts=None):
        super().reset(seed, starts)
        self.sites = [q for q in self.places if self.rows[q[0]][q[1]] in "SRGBO"]
        self.left = {q: self.life(self.items[q]) for q in self.sites if self.items[q] in "RGBO"}

    def life(self, kind):
        return self.p.lasting["RGBO".index(kind)] or 10**9

    def grow(self):
        for place in list(self.left):
            self.left[place] -= 1
            if self.left[place] == 0:
                self.items[place] = "empty"
                del self.left[place]

    def move(self, chosen):
        super().move([6 if self.rest[i][1] else a for i, a in enumerate(chosen)])

    def arrive(self, i):
        pass

    def fire(self, chosen):
        meals = self.eat_all()
        for kind in meals.values():
            self.spread(kind)
        super().fire([6 if self.rest[i][1] else a for i, a in enumerate(chosen)])
        for i in range(self.n):
            if self.rest[i][1] and i not in meals:
                self.rest[i][1] -= 1
            if self.rest[i][1]:
                self.did[i].add(2)

    def eat_all(self):
        meals = {}
        for i in range(self.n):
            kind = None if self.where[i] is None else self.items[self.where[i]]
            if kind is None or kind not in "RGBO":
                continue
            which = "RGBO".index(kind)
            meals[i] = kind
            self.items[self.where[i]] = "empty"
            del self.left[self.where[i]]
            self.rest[i][1] = self.p.digestion[which]
            self.did[i].add(1)
            fed = {"R": [i], "B": [j for j in range(self.n) if j != i]}.get(kind, range(self.n))
            for j in fed:
                self.rewards[j] += self.p.rewards[which] / len(fed)
        return meals

    def spread(self, kind):
        chances = {
            "R": {"R": 0.25},
            "G": {"R": 0.25, "G": 0.4},
            "B": {"R": 0.25, "G": 0.4, "B": 0.6},
            "O": {"O": 1.0},
        }[kind]
        if kind == "O":
            for place in self.sites:
                if self.items[place] == "R" and self.rng.uniform() <= self.p.blight:
                    self.items[place] = "empty"
                    del self.left[place]
        for _ in range(self.p.spores["RGBO".index(kind)]):
            for new, chance in chances.items():
                if self.rng.uniform() <= chance:
                    free = [
                        q for q in self.sites if self.items[q] == "empty" and q not in self.where
                    ]
                    if free:
                        place = free[self.rng.below(len(free))]
                        self.items[place], self.left[place] = new, self.life(new)


class MatrixArenaTwin(LineTwin):
    names = ("empty", "wall", "meeting beam", 0, 1, "spawn point", *(f"mix {k}" for k in range(6)))
    ground = ("spawn point",)
    verb, shuffles = "meet", True

    def __init__(self, rows, *, p, **rest):
        super().__init__(rows, **{**rest, "beam": ("wide", 3)})
        self.p, self.cooldown = p, p.cooldown
        self.sites = [q for q in self.places if rows[q[0]][q[1]] in "12?"]

    def start_item(self, symbol):
        return {"#": "wall", "S": "spawn point"}.get(symbol, "empty")

    def reset(self, seed, starts=None):
        super().reset(seed, starts)
        self.kind, self.taken = {}, {}
        for place in self.sites:
            symbol = self.rows[place[0]][place[1]]
            self.kind[place] = self.rng.below(2) if symbol == "?" else int(symbol) - 1
            self.items[place] = self.kind[place]
        self.hands = [[1, 1] for _ in range(self.n)]
        self.ready = [False] * self.n

    def grow(self):
        for place in self.sites:
            since = self.taken.get(place)
            if since is None or self.clock - since <= self.p.regrowth_delay:
                continue
            if place not in self.where and self.rng.uniform() <= self.p.regrowth_rate:
                self.items[place] = self.kind[place]
                del self.taken[place]

    def arrive(self, i):
        place = self.where[i]
        if self.items[place] in (0, 1):
            self.hands[i][self.items[place]] += 1
            self.items[place], self.taken[place] = "empty", self.clock
            self.ready[i] = True
            self.did[i].add(1)

    def use_beam(self, i):
        reached = self.ray(i)
        j = self.first_on(reached, i)
        self.show(reached, "meeting beam")
        if j is None or not (self.ready[i] and self.ready[j]):
            return
        table = self.p.table
        mixes = [[part / sum(self.hands[k]) for part in self.hands[k]] for k in (i, j)]
        for k, mine, theirs in ((i, *mixes), (j, *reversed(mixes))):
            self.rewards[k] += sum(
                mine[a] * theirs[b] * table[a][b] for a in range(2) for b in range(2)
            )
        for k in (i, j):
            self.hands[k], self.ready[k] = [1, 1], False
            self.out[k], self.where[k] = self.p.absence, None

    def after_beams(self):
        for i in range(self.n):
            if self.ready[i]:
                self.did[i].add(2)

    def view(self, i, names):
        rows = super().view(i, names)
        if self.where[i] is not None:
            one, two = self.hands[i]
            mix = 1 + min(4, 5 * one // (one + two)) if self.ready[i] else 0
            rows[9][5] = (names.index(f"mix {mix}"), rows[9][5][1])
        return rows
