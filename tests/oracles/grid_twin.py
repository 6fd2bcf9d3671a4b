"""The grid worlds once more, in plain Python, from their rules: dictionaries, tuples, no arrays.

Written apart from the kernels, so that the two can only agree by both being right. Places are
(row, column) on the unpadded map. The order of random draws is part of the rules and is the same.
"""

from __future__ import annotations

import math

M64 = (1 << 64) - 1
AHEAD = {0: (1, 0), 1: (0, 1), 2: (-1, 0), 3: (0, -1)}  # south, east, north, west


def splitmix(x):
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & M64
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & M64
    return x ^ (x >> 31)


class Xoshiro:
    """xoshiro256++, from its authors' description."""

    def __init__(self, seed):
        self.s = []
        for _ in range(4):
            seed = (seed + 0x9E3779B97F4A7C15) & M64
            self.s.append(splitmix(seed))

    def bits(self):
        s = self.s
        rotl = lambda x, k: ((x << k) | (x >> (64 - k))) & M64  # noqa: E731
        result = (rotl((s[0] + s[3]) & M64, 23) + s[0]) & M64
        t = (s[1] << 17) & M64
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = rotl(s[3], 45)
        return result

    def uniform(self):
        return ((self.bits() >> 11) + 1) / (1 << 53)

    def below(self, n):
        return ((self.bits() >> 32) * n) >> 32

    def hits(self, n, p):
        """Which of n independent trials succeed, by drawing the gaps between successes."""
        at = -1
        while True:
            at += 1 + (math.floor(math.log(self.uniform()) / math.log1p(-p)) if p < 1 else 0)
            if at >= n:
                return
            yield at


class Twin:
    """What all grid worlds share. Subclasses say what grows and what stepping on it does."""

    spawns = "S"
    ground = ()

    def __init__(self, rows, *, agents, actions, conduct, beam=("short", 3)):
        self.rows, self.n, self.actions = rows, agents, actions
        self.zap_mode, self.zap_steps, self.zap_cooldown, self.egocentric = conduct
        self.beam = beam
        self.places = [(r, c) for r in range(len(rows)) for c in range(len(rows[0]))]
        self.spawn_places = [p for p in self.places if rows[p[0]][p[1]] in self.spawns]

    def reset(self, seed, starts=None):
        self.rng = Xoshiro(seed)
        self.items = {p: self.start_item(self.rows[p[0]][p[1]]) for p in self.places}
        self.where = [None] * self.n
        self.facing = [0] * self.n
        self.out = [0] * self.n
        self.rest = [[0, 0] for _ in range(self.n)]
        self.did = [set() for _ in range(self.n)]
        self.clock = 0
        self.lit = {}
        for i in range(self.n):
            if starts:
                self.where[i] = starts[i]
                self.facing[i] = self.rng.below(3)
            else:
                self.appear(i)

    def appear(self, i):
        while True:
            place = self.spawn_places[self.rng.below(len(self.spawn_places))]
            if place not in self.where:
                break
        self.where[i] = place
        self.facing[i] = self.rng.below(3)

    def item(self, place):
        return self.items.get(place, "wall")

    def step(self, chosen):
        self.rewards = [0.0] * self.n
        self.events = [{"zapped": 0, "cleaned": 0, "collected": 0} for _ in range(self.n)]
        self.did = [set() for _ in range(self.n)]
        self.lit = {}
        self.grow()
        back = [i for i in range(self.n) if self.out[i] == 1]
        self.out = [max(k - 1, 0) for k in self.out]
        for i in back:
            self.where[i] = None
        for i in back:
            self.appear(i)
        self.move(chosen)
        for i in range(self.n):
            if self.where[i] is not None:
                self.arrive(i)
        self.fire(chosen)
        self.clock += 1

    def move(self, chosen):
        wish = list(self.where)
        for i, action in enumerate(chosen):
            if self.where[i] is None:
                continue
            name = self.actions[action]
            if name == "turn left":
                self.facing[i] = (self.facing[i] + 1) % 4
            elif name == "turn right":
                self.facing[i] = (self.facing[i] - 1) % 4
            elif name.startswith("step"):
                word = name.split()[1]
                heading = {"south": 0, "east": 1, "north": 2, "west": 3}.get(word)
                if heading is None:
                    turn = {"forward": 0, "left": 1, "backward": 2, "right": 3}[word]
                    heading = (self.facing[i] + turn) % 4
                goal = tuple(a + b for a, b in zip(self.where[i], AHEAD[heading], strict=True))
                if self.item(goal) != "wall":
                    wish[i] = goal
        self.where = self.settle(wish)

    def settle(self, wish):
        order = None
        while True:
            losers = set()
            for i in range(self.n):
                if wish[i] == self.where[i]:
                    continue
                for j in range(self.n):
                    if i == j:
                        continue
                    if wish[j] == wish[i]:
                        if wish[j] == self.where[j]:
                            losers.add(i)  # who stays keeps the cell
                        else:
                            if order is None:
                                order = list(range(self.n))
                                for k in range(self.n - 1, 0, -1):
                                    m = self.rng.below(k + 1)
                                    order[k], order[m] = order[m], order[k]
                            if order[i] < order[j]:
                                losers.add(i)
                    elif wish[i] == self.where[j] and wish[j] == self.where[i]:
                        losers.add(i)
            if not losers:
                return wish
            wish = [self.where[i] if i in losers else wish[i] for i in range(self.n)]

    def ray(self, i):
        """The places that seat i's beam reaches."""
        (r, c), a = self.where[i], AHEAD[self.facing[i]]
        right = AHEAD[(self.facing[i] - 1) % 4]
        reached = []
        lanes = [(0, 2), (1, 1), (-1, 1)]
        if self.beam[0] == "wide":
            lanes = [(0, self.beam[1]), (1, self.beam[1]), (-1, self.beam[1])]
        for side, length in lanes:
            for k in range(1, length + 1):
                place = (r + k * a[0] + side * right[0], c + k * a[1] + side * right[1])
                if self.item(place) == "wall":
                    break
                reached.append(place)
        return reached

    def fire(self, chosen):
        self.clean(chosen)
        hit = set()
        for i, action in enumerate(chosen):
            if self.rest[i][0]:
                self.rest[i][0] -= 1
            elif self.actions[action] == "zap" and self.where[i] is not None:
                self.rest[i][0] = self.zap_cooldown
                self.did[i].add(0)
                reached = self.ray(i)
                for j in range(self.n):
                    if j != i and self.where[j] in reached:
                        self.events[j]["zapped"] += 1
                        hit.add(j)
                self.show(reached, "zap beam")
        for j in hit:
            if self.zap_mode == "respawn":
                self.out[j] = 1
            elif self.zap_mode == "timeout":
                self.out[j], self.where[j] = self.zap_steps, None

    def show(self, places, what):
        for place in places:
            if place not in self.lit and self.item(place) in ("empty", *self.ground):
                self.lit[place] = what

    def clean(self, chosen):
        pass

    def eat(self, i, food, left):
        place = self.where[i]
        if self.items[place] == food:
            self.items[place] = left
            self.rewards[i] += 1
            self.events[i]["collected"] = 1
            self.did[i].add(1)

    def view(self, i, names):
        """The 11 x 11 view as nested lists of (item code, seat code)."""
        if self.where[i] is None:
            return [
                [(1, 1 | 128) if (r, c) == (9, 5) else (1, 0) for c in range(11)] for r in range(11)
            ]
        (r0, c0), a = self.where[i], AHEAD[self.facing[i]]
        right = AHEAD[(self.facing[i] - 1) % 4]
        rows = []
        for r in range(11):
            row = []
            for c in range(11):
                k, side = 9 - r, c - 5
                place = (r0 + k * a[0] + side * right[0], c0 + k * a[1] + side * right[1])
                code = names.index(self.lit.get(place, self.item(place)))
                row.append((code, self.seat_code(i, place)))
            rows.append(row)
        return rows

    def seat_code(self, i, place):
        if place not in self.where:
            return 0
        j = self.where.index(place)
        code = sum(16 << k for k in self.did[j])
        if i == j:
            return code | 1 | self.facing[i] << 2
        return code | 2 | ((self.facing[j] - self.facing[i]) % 4) << 2


class CleanUpTwin(Twin):
    names = (
        "empty", "wall", "zap beam", "apple", "orchard", "spawn point", "river", "clean bank",
        "dirt", "clean beam",
    )  # fmt: skip
    ground = ("orchard", "spawn point")

    def __init__(self, rows, *, clean_cooldown=0, growth=0.05, rate=0.5, delay=50, **rest):
        super().__init__(rows, **rest)
        self.clean_cooldown, self.growth, self.rate, self.delay = (
            clean_cooldown, growth, rate, delay,
        )  # fmt: skip
        self.orchard = [p for p in self.places if rows[p[0]][p[1]] == "a"]
        self.banks = [p for p in self.places if rows[p[0]][p[1]] in "hd"]
        self.river = [p for p in self.places if rows[p[0]][p[1]] == "r"]

    def start_item(self, symbol):
        return {
            ".": "empty", "#": "wall", "S": "spawn point", "a": "orchard", "r": "river",
            "h": "clean bank", "d": "dirt",
        }[symbol]  # fmt: skip

    def dirt(self):
        return [p for p in self.banks if self.items[p] == "dirt"]

    def grow(self):
        water = len(self.banks) + len(self.river)
        p = self.growth * min(1.0, (0.4 - len(self.dirt()) / water) / 0.4)
        if p > 0:
            for k in self.rng.hits(len(self.orchard), p):
                place = self.orchard[k]
                if self.items[place] == "orchard" and place not in self.where:
                    self.items[place] = "apple"
        clean = [p for p in self.banks if self.items[p] == "clean bank"]
        if self.clock > self.delay and clean and self.rng.uniform() <= self.rate:
            self.items[clean[self.rng.below(len(clean))]] = "dirt"

    def arrive(self, i):
        self.eat(i, "apple", "orchard")

    def clean(self, chosen):
        for i, action in enumerate(chosen):
            if self.rest[i][1]:
                self.rest[i][1] -= 1
            elif self.actions[action] == "clean" and self.where[i] is not None:
                self.rest[i][1] = self.clean_cooldown
                self.did[i].add(2)
                reached = self.ray(i)
                for place in reached:
                    if self.items[place] == "dirt":
                        self.items[place] = "clean bank"
                        self.events[i]["cleaned"] += 1
                self.show(reached, "clean beam")


class HarvestTwin(Twin):
    names = ("empty", "wall", "zap beam", "apple", "bare patch", "spawn point")
    ground = ("bare patch", "spawn point")

    def __init__(self, rows, *, regrowth=(0.0, 0.001, 0.005, 0.025), **rest):
        super().__init__(rows, **rest)
        self.regrowth = regrowth
        self.patch = [p for p in self.places if rows[p[0]][p[1]] == "a"]

    def start_item(self, symbol):
        return {".": "empty", "#": "wall", "S": "spawn point", "a": "apple"}[symbol]

    def near(self, place):
        r, c = place
        return sum(
            math.hypot(r - a, c - b) <= 2 and (a, b) != place and self.items[a, b] == "apple"
            for a, b in self.patch
        )

    def grow(self):
        if all(self.items[p] == "apple" for p in self.patch):
            return
        top, grown = max(self.regrowth), []
        for k in self.rng.hits(len(self.patch), top):
            place = self.patch[k]
            if self.items[place] == "bare patch" and place not in self.where:
                rate = self.regrowth[min(self.near(place), 3)]
                if self.rng.uniform() <= rate / top:
                    grown.append(place)
        for place in grown:
            self.items[place] = "apple"

    def arrive(self, i):
        self.eat(i, "apple", "bare patch")


class CoinsTwin(Twin):
    def __init__(self, rows, *, rate=0.001, weights, **rest):
        super().__init__(rows, **rest)
        self.rate = rate
        total = sum(weights)
        self.chances = [w / total for w in weights]
        self.cells = [p for p in self.places if rows[p[0]][p[1]] == "c"]
        self.names = ("empty", "wall", "spawn point", *range(self.n))

    def start_item(self, symbol):
        return {"c": "empty", "S": "spawn point"}[symbol]

    def grow(self):
        for k in self.rng.hits(len(self.cells), self.rate):
            place = self.cells[k]
            if self.items[place] == "empty" and place not in self.where:
                u, colour = self.rng.uniform(), 0
                while colour < self.n - 1 and u > sum(self.chances[: colour + 1]):
                    colour += 1
                self.items[place] = colour

    def arrive(self, i):
        owner = self.items[self.where[i]]
        if isinstance(owner, int):
            self.items[self.where[i]] = "empty"
            self.rewards[i] += 1
            self.did[i].add(1)
            if owner != i:
                self.rewards[owner] -= 2
                self.did[i].add(2)
