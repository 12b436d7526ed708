"""Attacks, and what is derived from them, counted again from what came of every image."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from stillproof.attack.masking.alarms import alarms_of
from stillproof.attack.masking.measured import Measured
from stillproof.attack.protocols.named import attack_protocol
from stillproof.run.attack_outcomes import KIND, judged_within, read_outcomes
from stillproof.run.attacked_images import ATTACKED_SET, EXAMPLES
from stillproof.run.attacked_set import summary_of
from stillproof.run.recount.evidence import Evidence, Wrong, expect
from stillproof.run.recount.trained import asked_model, model_cells
from stillproof.run.stages.attack_bench import KIND as BENCH
from stillproof.run.stages.attack_check import KIND as CHECK
from stillproof.score.attacked_images import outcome_summary

ASKED = ("test", "attack", "targets", "protocol")  # what an attack's card repeats of its spec


def attack(found: Evidence) -> None:
    """Count an attack again."""
    spec, result = found.spec, found.result
    about = {key: spec[key] for key in ASKED} | {"cell": found.cell.id}
    values = found.artifact(result["outcomes"], KIND, **about).tensors
    _check_images(found, values)
    passes = (values["forwards"] + values["backwards"]).double()
    found.says(outcome_summary(values) | {"model": asked_model(found)})
    found.says(
        {"passes_per_image": passes.mean().item(), "no_gradient": int(values["no_gradient"].sum()) / len(passes)}
    )
    examples = result.get("examples")
    if examples is not None:
        found.artifact(examples, EXAMPLES, **about)
    found.stands_on([result["outcomes"], *([examples] if examples else [])], model_cells(found))
    labels = found.labels()
    _check_labels(values, labels[values["places"].long()] if "places" in values else labels[: spec["images"]])


def transfer(found: Evidence) -> None:
    """Count again what another model said of attacked images."""
    spec, result = found.spec, found.result
    about = {"test": spec["test"], "attack": spec["attack"], "cell": found.cell.id}
    values = found.artifact(result["outcomes"], KIND, **about).tensors
    _check_images(found, values)
    crafted = found.answer_of(spec["attack"])["model"]
    found.says(outcome_summary(values) | {"model": asked_model(found), "crafted_on": crafted})
    found.stands_on([result["outcomes"]], [spec["attack"], *model_cells(found)])
    _check_labels(values, found.labels()[: spec["images"]])


def within(found: Evidence) -> None:
    """Judge an attack within a ball again."""
    spec, result = found.spec, found.result
    answer = found.answer_of(spec["of"])
    counted = judged_within(read_outcomes(found.job.store, answer["outcomes"]), spec["norm"], spec["eps"])
    about = {key: spec[key] for key in ("of", "norm", "eps")} | {"cell": found.cell.id}
    values = found.artifact(result["outcomes"], KIND, **about).tensors
    if values.keys() != counted.keys() or not all(torch.equal(values[name], counted[name]) for name in counted):
        raise Wrong("its outcomes are not those of the attack within the ball")
    same = {key: answer[key] for key in ("passes_per_image", "draws") if key in answer}
    found.says(same | outcome_summary(counted))
    found.stands_on([result["outcomes"]], [spec["of"]])


def check(found: Evidence) -> None:
    """Count signs of gradient masking again."""
    spec, result = found.spec, found.result
    about = {key: spec[key] for key in ("eps", "norm", "test")} | {"cell": found.cell.id}
    kept = found.artifact(result["outcomes"], CHECK, **about)
    right = kept.card["right"]
    means = {name: values.double().mean().item() if right else None for name, values in kept.tensors.items()}
    known: dict[str, Any] = {key: kept.card[key] for key in ("eps", "norm", "images", "right")}
    known |= {name: values.tolist() for name, values in kept.tensors.items()}
    counted = {"alarms": alarms_of(Measured(**known)), "means": means, "images": spec["images"], "right": right}
    found.says(counted | {"eps": spec["eps"], "norm": spec["norm"]})
    found.stands_on([result["outcomes"]], model_cells(found))


def bench(found: Evidence) -> None:
    """Count again how near an attack comes."""
    spec, result = found.spec, found.result
    about = {key: spec[key] for key in ("test", "of", "norm", "budget")} | {"cell": found.cell.id}
    values = found.artifact(result["outcomes"], BENCH, **about).tensors
    right = values["clean_right"]
    passes = (values["forwards"] + values["backwards"])[right].double()
    found.says(
        {
            "n": spec["images"],
            "clean_accuracy": right.double().mean().item(),
            "turned": values["distances"].isfinite().double().mean().item(),
            "passes_per_image": passes.mean().item() if len(passes) else 0.0,
            "model": asked_model(found),
        }
    )
    expect("the number of images", len(right), spec["images"])
    found.stands_on([result["outcomes"]], model_cells(found))


def attacked_set(found: Evidence) -> None:
    """Count an attacked set again."""
    result = found.result
    kept = found.artifact(result["artifact"], ATTACKED_SET, cell=found.cell.id)
    counted: dict[str, Any] = summary_of({name: values.numpy() for name, values in kept.tensors.items()})
    if found.cell.stage == "attacked-set":
        found.says(counted | {"model": asked_model(found)})
        found.stands_on([result["artifact"]], model_cells(found))
    else:  # made of another: nobody was asked of its images
        found.says({"n": counted["n"]})
        found.stands_on([result["artifact"]], list(filter(None, [found.spec["attacked"].get("cell")])))


def _check_images(found: Evidence, values: Mapping[str, Tensor]) -> None:
    """Refuse outcomes that are not those of so many images, or contradict themselves."""
    # Of images that a network has not learned from there may be fewer than were asked for.
    images = len(values["places"]) if found.cell.stage == "attack-others" else found.spec["images"]
    for name, one in values.items():
        expect(f"the shape of {name}", list(one.shape), [images])
    labels = values["labels"]
    right, after = values["clean_predictions"] == labels, values["predictions"] == labels
    aimed = values["predictions"] == values["targets"] if "targets" in values else ~after
    counted = {"clean_right": right, "robust": attack_protocol(found.spec["protocol"]).robust(right, after)}
    counted["success"] = right & values["fooled"]
    if "right_share" not in values:  # a model that answers at random is fooled in some of its draws
        counted["fooled"] = aimed
    for name, one in counted.items():
        if not torch.equal(one, values[name]):
            raise Wrong(f"{name} of its images is not what their predictions say")


def _check_labels(values: Mapping[str, Tensor], labels: Tensor) -> None:
    if not torch.equal(values["labels"].long(), labels.long()):
        raise Wrong("the labels of its images are not those of the data set")
