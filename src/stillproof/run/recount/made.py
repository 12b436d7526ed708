"""Sets, trajectories and whitenings, whose cards must be of what was asked."""

from __future__ import annotations

from stillproof.core.tensor_size import size_in_bytes
from stillproof.run.recount.evidence import Evidence, expect


def distillation(found: Evidence) -> None:
    """Compare a set with what was asked."""
    spec, result = found.spec, found.result
    asked = {"method": spec["method"]["name"], "ipc": spec["ipc"], "seed": spec["seed"], "data_id": spec["data"]}
    kept = found.artifact(result["artifact"], "distilled", **asked)
    for step, artifact in result.get("snapshots", {}).items():
        on_the_way = found.artifact(artifact, "distilled", **asked)
        expect("steps of a set on the way", str(on_the_way.card["params"].get("steps")), step)
    found.says({"images": len(kept.tensors["images"]), "bytes": kept.card["bytes"]})
    found.stands_on([result["artifact"]])


def changed_set(found: Evidence) -> None:
    """Compare a set that was made of another with what is said of it."""
    result = found.result
    kept = found.artifact(result["artifact"], "distilled")
    found.says({"images": len(kept.tensors["images"]), "bytes": kept.card["bytes"]})
    found.stands_on([result["artifact"]])


def expert(found: Evidence) -> None:
    """Compare a trajectory with what was asked."""
    spec, result = found.spec, found.result
    kept = found.artifact(result["artifact"], "expert", data=spec["data"], seed=spec["seed"])
    expect("its network", kept.card["network"]["name"], spec["network"]["name"])
    found.says({"bytes": size_in_bytes(kept.tensors.values())})
    found.stands_on([result["artifact"]])


def whitening(found: Evidence) -> None:
    """Compare a whitening with what was asked."""
    spec, result = found.spec, found.result
    about = {key: spec[key] for key in ("data", "eps", "variant") if key in spec}
    kept = found.artifact(result["artifact"], "zca", **about)
    found.says({"bytes": size_in_bytes(kept.tensors.values())})
    found.stands_on([result["artifact"]])


def stored_model(found: Evidence) -> None:
    """Make sure that a model is one."""
    artifact = found.spec["artifact"]
    found.artifact(artifact, "model")
    found.says({"model": artifact})
    found.stands_on([artifact])
