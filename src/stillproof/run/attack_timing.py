"""What an attack takes here, from a few images that it is really made on."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from stillproof.attack.base.attack import Attack
from stillproof.attack.base.victim import Victim
from stillproof.attack.protocols.named import attack_protocol
from stillproof.core.components import attacks
from stillproof.core.context import Context
from stillproof.core.errors import Unsupported
from stillproof.core.seeds import Seeds
from stillproof.run.attacked_model import read_attacked
from stillproof.run.attacker import Attacker
from stillproof.run.stage import Job
from stillproof.run.stages.attacked_set import sources_of

FEW, MORE = 2, 6  # images that an attack is timed on: of those that are attacked together, also on more at once


@dataclass(frozen=True)
class Timed:
    """What an attack takes.

    Args:
        passes: Passes of one image, forward and backward, in the mean.
        each: Seconds that each image takes.
        batch_seconds: Seconds that each batch takes besides, however many images are in it.
        batch: Images that are attacked at once.
        reason: Why nothing could be timed, if so.
    """

    passes: float | None = None
    each: float = 0.0
    batch_seconds: float = 0.0
    batch: int = 1
    reason: str | None = None

    def seconds(self, images: int) -> float:
        """Return the time of so many images."""
        return self.each * images + self.batch_seconds * -(-images // self.batch)


def time_attack(job: Job) -> Timed:
    """Make the attack of an attacked set on its first sources, and keep nothing."""
    spec = job.spec
    data = job.data(spec["test"], job.where["part"])
    model = read_attacked(spec["model"], job, data.info).model
    attack = attacks.rebuild(spec["attack"])
    assert isinstance(attack, Attack)
    attacker = Attacker(attack, model, data, attack_protocol(spec["protocol"]), all_steps=True, keep_images=True)
    sources = sources_of(spec, data)[0]
    ctx = Context(Seeds(spec["seed"]).child("attack"), job.device)
    try:
        with attacker.victim(FEW, ctx) as victim:
            victim.get_ready(data.read(sources[:FEW], ctx.device))
            if attacker.batch < MORE:
                one = _run(attacker, victim, torch.split(sources[:FEW], 1), ctx)
                return Timed(one.passes, one.seconds / FEW)
            few = _run(attacker, victim, [sources[:FEW]], ctx)
            more = _run(attacker, victim, [sources[FEW : FEW + MORE]], ctx)
    except Unsupported as error:
        return Timed(reason=str(error))
    each = max(0.0, (more.seconds - few.seconds) / (MORE - FEW))
    return Timed(more.passes, each, max(0.0, few.seconds - FEW * each), attacker.batch)


@dataclass(frozen=True)
class _Took:
    seconds: float
    passes: float  # of one image


def _run(attacker: Attacker, victim: Victim, parts: Sequence[Tensor], ctx: Context) -> _Took:
    began = time.perf_counter()
    found = [attacker.run(victim, part, ctx) for part in parts]
    seconds = time.perf_counter() - began
    return _Took(seconds, sum(one.passes_per_image for one in found) / len(found))
