"""Changed images that are kept: an artifact with a picture of some of them."""

from __future__ import annotations

import dataclasses
import io

from stillproof.attack.base.outcome import Outcome
from stillproof.core.components import attacks
from stillproof.core.data_title import data_title
from stillproof.core.number_text import size_text
from stillproof.core.spec import Json
from stillproof.core.types import Space
from stillproof.run.attack_names import shown
from stillproof.run.attack_outcomes import outcome_tensors
from stillproof.run.attacked_images import EXAMPLES
from stillproof.run.attacked_picture import AttackedImage, attacked_picture, class_named
from stillproof.run.attacker import Attacker
from stillproof.run.stage import Job

SHOWN = 10  # images of a picture


def keep_examples(job: Job, outcome: Outcome, attacker: Attacker, card: Json, space: Space) -> str:
    """Store the changed images with what the model says of them; return the artifact.

    Args:
        job: The cell.
        outcome: What came of the attack, with the images.
        attacker: The attack.
        card: What is known of it.
        space: The space that the model's body sees.
    """
    assert outcome.images is not None
    protocol = attacker.protocol
    where = protocol.space(space)
    tensors = outcome_tensors(outcome, protocol) | {"images": outcome.images}
    dataset = data_title(job.where["dataset"])
    reference, radius = shown(attacks.reference(attacker.attack)), attacker.attack.radius
    usual = radius is not None and ":eps=" not in reference  # then it is not said yet
    ball = f", eps {size_text(radius or 0.0)} in {attacker.attack.measured_in}" if usual else ""
    title = f"{reference}{ball}, {dataset}, protocol {protocol.written}"
    readme = f"""# Attacked images of {dataset}

{len(outcome)} {job.where["part"]} images of {dataset}, from the first on, as `{reference}` changed them (protocol
{protocol.written}).

- `tensors.safetensors`: `images` {list(outcome.images.shape)} in {where.kind} space, and one value per image of
  `labels`, `clean_predictions`, `predictions`, `success`, `linf`, `l2` and others
- `card.json`: the attack and its parameters, the id of the images before it
- `preview.png`: the first that were right before, as they were, their change enlarged, and what they became
"""
    buffer = io.BytesIO()
    attacked_picture(_shown(outcome, attacker, job.device), title).save(buffer, format="PNG")
    return job.store.keep(
        EXAMPLES,
        tensors,
        card | {"space": dataclasses.asdict(where), "dataset": job.where["dataset"]},
        name=f"attacked-{dataset}-{job.cell[:6]}",
        cell=job.cell,
        extra={"README.md": readme.encode(), "preview.png": buffer.getvalue()},
    )


def _shown(outcome: Outcome, attacker: Attacker, device: str) -> list[AttackedImage]:
    """Return the first images that were right before, or just the first if none was."""
    assert outcome.images is not None
    right = outcome.clean_right.nonzero().squeeze(1)
    index = (right if len(right) else outcome.labels.new_tensor(range(len(outcome))))[:SHOWN]
    after = attacker.protocol.as_pixels(outcome.images[index].to(device), attacker.model).cpu()
    test = attacker.test
    names = test.info.class_names or [str(label) for label in range(test.num_classes)]
    said, labels = outcome.predictions[index].tolist(), outcome.labels[index].tolist()
    rows = zip(test.read(index).numpy(), after.numpy(), labels, said, strict=True)
    return [
        AttackedImage(before, changed, names[label], class_named(answer, names))
        for before, changed, label, answer in rows
    ]
