"""What robustness ratio, attack efficiency and CREI are made of: accuracy and time under every attack."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from stillproof.suites.beard.victims import MODES, Mode, Victim, Victims, has_no_ball
from stillproof.suites.requests import Request, Row

WITHIN = 128 / 255  # of L2: the ball of PGD-L2, in which changes of attacks without one count, too


def score_rows(victims: Victims) -> Iterator[Row]:
    """Yield the rows of all models without a defence."""
    return attacked_rows("scores", victims, victims.undefended())


def defence_rows(victims: Victims) -> Iterator[Row]:
    """Yield the rows of the largest sets, without a defence and with each."""
    return attacked_rows("defences", victims, [*victims.largest(), *victims.defended()])


def attacked_rows(section: str, victims: Victims, asked: Iterable[Victim]) -> Iterator[Row]:
    """Yield, for each model and mode, accuracies and times of every attack, and the worst case over all of them."""
    suite = victims.suite
    for victim in asked:
        for mode in MODES:
            attacks = suite.attacks if mode == "untargeted" else suite.targeted_attacks
            under = _Under(victims, victim, mode, attacks)
            for attack in attacks:
                about = {"attack": attack, "mode": mode}
                yield victims.row(section, victim, partial(under.judged, attack), measure="accuracy", **about)
                if suite.timed:
                    yield victims.row(section, victim, partial(under.timed, attack), measure="time", **about)
            if attacks:
                yield victims.row(section, victim, under.worst, measure="worst", mode=mode)


@dataclass(frozen=True)
class _Under:
    """What is asked of one model under the attacks of one mode; the last argument of each question is the seed."""

    victims: Victims
    victim: Victim
    mode: Mode
    attacks: Sequence[str]

    def judged(self, attack: str, seed: int) -> Request:
        """Ask for an attack; under ``fair``, changes of one without a ball count only within the usual one of L2."""
        made = self.victims.attack(self.victim, attack, self.mode, seed)
        within = self.victims.suite.protocol == "fair" and has_no_ball(attack)
        return Request("within", of=made, norm="L2", eps=WITHIN) if within else made

    def timed(self, attack: str, seed: int) -> Request:
        """Ask for the time of an attack."""
        made = self.victims.attack(self.victim, attack, self.mode, seed)
        return Request("attack-time", of=made, first=self.victims.suite.timed)

    def worst(self, seed: int) -> Request:
        """Ask for the images that withstand all attacks."""
        return Request("worst-case", of=[self.judged(attack, seed) for attack in self.attacks])
