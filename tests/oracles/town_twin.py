"""An hour of the town in plain Python: one person after the other, no arrays.

Written from the page of ``town-v0``, not from its code. It is given the same dice, person by
person, and must come to the same town.
"""

from __future__ import annotations

from dataclasses import dataclass, field

LIMIT = 5
COOPERATOR, DEFECTOR, DISCRIMINATOR = 0, 1, 2


def sign(number):
    return (number > 0) - (number < 0)


@dataclass
class Person:
    strategy: int
    favourite: int
    place: int
    wealth: float = 0.0
    opinion: dict = field(default_factory=dict)
    news: int = -1
    partner: int = -1

    def thinks(self, whom):
        return self.opinion.get(whom, 0)

    def judge(self, whom, change):
        self.opinion[whom] = max(-LIMIT, min(LIMIT, self.thinks(whom) + change))


class TownTwin:
    def __init__(self, town, params):
        self.params = params
        self.people = [
            Person(int(s), int(f), int(p))
            for s, f, p in zip(town.strategy, town.favourite, town.place, strict=True)
        ]

    def go(self, luck, chosen):
        p = self.params
        for i, person in enumerate(self.people):
            if i in chosen:
                if chosen[i] is not None:
                    person.place = chosen[i]
            elif luck.roam[i] < p.habit:
                person.place = person.favourite
            else:
                person.place = int(luck.goal[i] * p.places)
            person.partner = -1
        for place in range(p.places):
            here = [i for i, person in enumerate(self.people) if person.place == place]
            here.sort(key=lambda i: luck.order[i])
            while len(here) >= 2:
                one, two = here.pop(0), here.pop(0)
                self.people[one].partner, self.people[two].partner = two, one

    def meet(self, luck, deeds):
        p, people = self.params, self.people
        met = [i for i, person in enumerate(people) if person.partner >= 0]
        kind = {i: self._kind(i, luck, deeds) for i in met}
        paid = dict.fromkeys(range(len(people)), 0.0)
        for i in met:
            paid[i] = self._pays(kind[i], kind[people[i].partner])
            if deeds.get(i, "") is None:
                paid[i] = float(p.matrix.min())
            people[i].wealth += paid[i]
        # What everybody says is settled before anybody has heard anything.
        told = {i: self._tale(people[i].partner, i, luck, deeds) for i in met}
        believed = {}
        for i, (subject, word) in told.items():
            if word and people[i].thinks(people[i].partner) >= 0:
                believed[i] = (subject, word)
        for i, (subject, word) in believed.items():
            people[i].judge(subject, word)
        for i in met:
            people[i].judge(people[i].partner, 1 if kind[people[i].partner] else -1)
            fresh = i in believed and luck.news[i] < 0.5
            people[i].news = believed[i][0] if fresh else people[i].partner
        for i in range(len(people)):
            self._watch(i, luck, kind)
        self._imitate(met, luck)
        return [paid[i] for i in range(len(people))], kind

    def _kind(self, i, luck, deeds):
        if i in deeds:
            return deeds[i] is None or deeds[i].act == 0
        person = self.people[i]
        means = person.strategy == COOPERATOR
        if person.strategy == DISCRIMINATOR:
            means = person.thinks(person.partner) >= 0
        return not means if luck.slip[i] < self.params.slips else means

    def _pays(self, mine, theirs):
        both, only_me, only_other, nobody = self.params.matrix.ravel().tolist()
        if mine:
            return both if theirs else only_me
        return only_other if theirs else nobody

    def _tale(self, teller, hearer, luck, deeds):
        """(subject, word) that ``hearer`` is told; word 0 if nothing."""
        p, subject = self.params, self.people[teller].news
        if teller in deeds:
            say = 0 if deeds[teller] is None else deeds[teller].say
        else:
            say = 0 if luck.tell[teller] >= p.gossip else 2 if luck.lie[teller] < p.lies else 1
        if not say or subject < 0 or subject == hearer:
            return subject, 0
        opinion = sign(self.people[teller].thinks(subject))
        return subject, -opinion if say == 2 else opinion

    def _watch(self, i, luck, kind):
        me, p = self.people[i], self.params
        if luck.watch[i] >= p.watch:
            return
        here = [
            (a, person.partner)
            for a, person in enumerate(self.people)
            if person.place == me.place and person.partner > a
        ]
        if not here:
            return
        pair = here[int(luck.which[i] * len(here))]
        if i in pair:
            return
        thought = {who: me.thinks(who) for who in pair}
        for who, whom in (pair, pair[::-1]):
            if kind[who]:
                me.judge(who, 1)
            elif p.norm == "image" or thought[whom] >= 0:
                me.judge(who, -1)
        if me.partner < 0:
            me.news = pair[0]

    def _imitate(self, met, luck):
        p, before = self.params, [person.strategy for person in self.people]
        for i in met:
            j = self.people[i].partner
            cheap = i >= p.seats and j >= p.seats
            if (
                cheap
                and luck.learn[i] < p.imitation
                and (self.people[j].wealth > self.people[i].wealth)
            ):
                self.people[i].strategy = before[j]
