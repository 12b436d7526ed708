"""Trainings, and what is told of their networks, counted again from the predictions of every image."""

from __future__ import annotations

import torch
from torch import Tensor

from stillproof.core.spec import Json
from stillproof.run.recount.evidence import Evidence, Wrong, expect
from stillproof.run.stages.adapt import KIND as ADAPTED
from stillproof.run.stages.judge import KIND as JUDGED


def training(found: Evidence) -> None:
    """Count a curve again, and compare its models with what was asked."""
    spec, result = found.spec, found.result
    kept = found.artifact(result["outcomes"], "outcomes", test=spec["test"], train=found.cell.id)
    predictions = kept.tensors["predictions"]
    found.says({"epochs": kept.tensors["epochs"].tolist(), "n_test": predictions.shape[1]})
    for key, values in (("test_accuracy", result["test_accuracy"]), ("heldout_accuracy", result["heldout_accuracy"])):
        if values is not None:
            expect(f"the number of points of {key}", len(values), len(predictions))
    for epoch, model in result["models"].items():
        card = found.artifact(model, "model", upstream=spec["upstream"], seed=spec["seed"]).card
        expect("epoch of a model", str(card.get("epoch")), epoch)
        expect("defence of a model", card.get("defence"), spec.get("defence"))
        _same_network(card["network"], spec["network"])
    if str(result["epochs"][-1]) not in result["models"]:
        raise Wrong("the network of its last epoch is not among its models")
    found.stands_on([*result["models"].values(), result["outcomes"]])
    labels = found.labels()
    expect("the number of predictions", predictions.shape[1], len(labels))
    found.says({"test_accuracy": [int((one == labels).sum()) / len(labels) for one in predictions.to(torch.int64)]})


def judgement(found: Evidence) -> None:
    """Count again which images were right."""
    spec, result = found.spec, found.result
    kept = found.artifact(result["outcomes"], JUDGED, on=spec["on"], cell=found.cell.id).tensors
    right = kept["labels"] == kept["predictions"]
    if not torch.equal(right, kept["right"]):
        raise Wrong("its images are counted as right where the prediction is not the label")
    made = [spec["on"]["cell"]] if "cell" in spec["on"] else []
    found.stands_on([result["outcomes"]], [*made, *model_cells(found)])
    found.says({"n": len(right), "accuracy": int(right.sum()) / len(right), "model": asked_model(found)})


def adaptation(found: Evidence) -> None:
    """Count episodes again."""
    spec, result = found.spec, found.result
    about = {"attacked": spec["attacked"], "protocol": spec["protocol"], "cell": found.cell.id}
    kept = found.artifact(result["outcomes"], ADAPTED, **about).tensors
    shares = kept["right"].double() / kept["asked"].unsqueeze(1)  # (episodes, steps + 1)
    before, after, clean_after = shares[:, 0], shares[:, -1], kept["clean_after"].double() / result["n_clean"]
    each = "steps" in spec
    curve = shares.mean(0) if each else torch.cat([before[:1], after])
    if not each:
        before, after, clean_after = (one[after.argmax()].unsqueeze(0) for one in (before, after, clean_after))
    counted: dict[str, Tensor] = {"ra": before, "ra_after": after, "sa_after": clean_after, "curve": curve}
    found.says({key: value.tolist() for key, value in counted.items()} | {"episodes": len(shares)})
    found.says({"n": int(kept["asked"][0]), "start": asked_model(found)})
    found.artifact(result["model"], "model")
    found.stands_on([result["model"], result["outcomes"]], model_cells(found))


def model_cells(found: Evidence) -> list[str]:
    """Return the cell that the network of a question comes from, if it is named by one."""
    model = found.spec["model"]
    return [model["cell"]] if "cell" in model else []


def asked_model(found: Evidence) -> str:
    """Return the network that a question is about: that of the cell that it names, or the artifact."""
    model = found.spec["model"]
    if "cell" not in model:
        return str(model["artifact"])
    answer = found.answer_of(model["cell"])
    return str(answer["model"] if "model" in answer else answer["models"][str(answer["epochs"][-1])])


def _same_network(said: Json, asked: Json) -> None:
    """Compare a card's network, with all its parameters, with a spec's, which has those that are no defaults."""
    known = {key: said["params"].get(key) for key in asked["params"]}
    expect("the network of a model", [said["name"], known], [asked["name"], dict(asked["params"])])
