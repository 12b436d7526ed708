"""Which attacked data set is asked for: whatever builds, times or plans one takes this."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from stillproof.attack.protocols.named import attack_protocol
from stillproof.core.errors import BadInput
from stillproof.core.mad_attacks import is_mad, mad_attack
from stillproof.core.mad_sets import attacks_named, mad_set
from stillproof.core.types import Split
from stillproof.data.load import source
from stillproof.run.stages.attacked_set import USUAL_SPLIT
from stillproof.suites.requests import Request, real_images, trained


@dataclass(frozen=True)
class AttackSetQuestion:
    """The same source images under several attacks.

    Args:
        dataset: The data set of the sources.
        model: What is attacked.
        attacks: The attacks, by the names that people write.
        per_class: Sources per class; by default as many as the smallest class has.
        split: Shares of them for training, validation and test.
        protocol: ``fair`` or ``faithful:mad``.
        seed: Seed of the choice of sources, of their split, and of what attacks draw.
        part: Which split of the data set they are of.
        like: The set of MAD's that says what each attack is for; the one of such images without a name.
    """

    dataset: str
    model: Request
    attacks: Sequence[str]
    per_class: int | None = None
    split: Sequence[int] = USUAL_SPLIT
    protocol: str = "fair"
    seed: int = 0
    part: Split = "test"
    like: str = ""

    def requests(self) -> dict[str, Request]:
        """Return what is asked of each attack, by what the attack is called."""
        if not self.attacks:
            raise BadInput("no attack is named: name at least one.")
        about = {"model": self.model, "dataset": self.dataset, "per_class": self.per_class, "split": tuple(self.split)}
        about |= {"seed": self.seed, "part": self.part, "protocol": attack_protocol(self.protocol).written}
        return {_called(one): Request("attacked-set", attack=one, **about) for one in self.attacks}

    def but(self, **changed: Any) -> AttackSetQuestion:
        """Return the same question with other values of what is not None."""
        return dataclasses.replace(self, **{key: value for key, value in changed.items() if value is not None})


def asked_of(dataset: str, model: Request, attacks: str | Sequence[str], protocol: str = "fair") -> AttackSetQuestion:
    """Return the question about a model; ``mad`` stands for all thirty of MAD's attacks, ``mad-m`` for those of it."""
    named = attacks_named([attacks] if isinstance(attacks, str) else attacks, source(dataset).info)
    return AttackSetQuestion(dataset, model, named, protocol=protocol)


def asked_by_mad(config: str, protocol: str = "fair") -> AttackSetQuestion:
    """Return one of MAD's sets, with a victim of its own that is trained on all real images.

    Under ``faithful:mad`` digits are shown to it as the original does, as 3 x 32 x 32.
    """
    asked = mad_set(config)
    dataset = asked.faithful_dataset if attack_protocol(protocol).origin == "mad" else asked.dataset
    model = trained(real_images(dataset), asked.network, asked.recipe, 0)
    return asked_of(dataset, model, config, protocol).but(per_class=asked.per_class, like=config)


def _called(reference: str) -> str:
    return mad_attack(reference).name if is_mad(reference) else reference
