"""Submits workers to Slurm, through submitit, and returns."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from stillproof.core.components import executors
from stillproof.core.errors import BadInput
from stillproof.run.executor import Executor, Work
from stillproof.run.work_command import work_command, work_environment
from stillproof.store.location import locate, sqlite_file

if TYPE_CHECKING:
    from submitit import AutoExecutor, Job

log = logging.getLogger("stillproof")

IN_ARRAY = 500  # jobs of one array: clusters allow 1,001 at least
SPARE_MINUTES = 5  # before a job's end, in which its worker stops
SIGNAL_SECONDS = 120  # before a job's end, at which Slurm asks it to stop, if it has not


@executors.register("slurm", version=1)
@dataclass(frozen=True)
class Slurm(Executor):
    """Submits jobs that each are one worker, and returns; the same again adds more.

    Args:
        jobs: How many.
        hours: The wall time of each; a worker stops before that, and its cell is gone on with by another.
        partition: Where they run; nothing for the cluster's default.
        cpus: Of each job, and threads of its worker.
        gpus: Of each job.
        gigabytes: Memory of each job; nothing for what the largest cell is expected to take.
        options: Further options of sbatch, as in ``account=mine;qos=long``.
        folder: Of the jobs' logs, on a disk that all nodes share; nothing for one beside the artifacts.
        cluster: ``local`` starts the jobs on this machine, to try it out.
    """

    jobs: int = 1
    hours: float = 4.0
    partition: str = ""
    cpus: int = 1
    gpus: int = 0
    gigabytes: float | None = None
    options: str = ""
    folder: str = ""
    cluster: Literal["slurm", "local"] = "slurm"

    submits: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Check the numbers."""
        if self.jobs < 1 or self.cpus < 1 or self.gpus < 0:
            raise ValueError("jobs and cpus must be at least 1, and gpus at least 0")
        if self.hours * 60 <= SPARE_MINUTES:
            raise ValueError(f"hours must be more than {SPARE_MINUTES} minutes, in which a worker stops")

    def execute(self, work: Work) -> None:
        """Submit the workers."""
        jobs = self.submit(work)
        where = "Slurm" if self.cluster == "slurm" else "this machine"
        log.info("%d jobs of %g h were submitted to %s; the same command adds more.", len(jobs), self.hours, where)

    def submit(self, work: Work) -> list[Job[Any]]:
        """Submit the workers and return their jobs.

        Raises:
            BadInput: Slurm or submitit is not here, or its machines could not open the store.
        """
        if self.cluster == "slurm" and sqlite_file(locate(work.options.store_url)) is not None:
            raise BadInput(
                f"store {work.store.shown} is a SQLite file, which the machines of a cluster cannot share: name a "
                "PostgreSQL store with --store."
            )
        minutes = self.hours * 60 - SPARE_MINUTES
        command = [*work_command(work), "--for", f"{minutes:g}m", "--threads", str(self.cpus)]
        executor = self._executor(work)
        with work_environment(work):
            return [job for count in _arrays(self.jobs) for job in self._batch(executor, command, count)]

    def _batch(self, executor: AutoExecutor, command: list[str], count: int) -> list[Job[Any]]:
        from submitit.helpers import CommandFunction

        with executor.batch():
            return [executor.submit(CommandFunction(command, verbose=False)) for _ in range(count)]

    def _executor(self, work: Work) -> AutoExecutor:
        try:
            from submitit import AutoExecutor
        except ModuleNotFoundError as error:
            raise BadInput("--executor slurm needs submitit: pip install 'stillproof[slurm]'.") from error
        folder = Path(self.folder).absolute() if self.folder else work.store.artifacts.root / ".jobs"
        try:
            executor = AutoExecutor(folder, cluster=self.cluster)
        except RuntimeError as error:  # of submitit, where srun is not found
            raise BadInput(
                "--executor slurm finds no Slurm here: give the command where jobs are submitted."
            ) from error
        executor.update_parameters(timeout_min=round(self.hours * 60), name=f"stillproof-{work.run}"[:60])
        if self.cluster == "slurm":
            executor.update_parameters(**self._resources(work))
        return executor

    def _resources(self, work: Work) -> dict[str, Any]:
        options = dict(part.strip().split("=", 1) for part in self.options.split(";") if part.strip())
        return {
            "cpus_per_task": self.cpus,
            "mem_gb": self.gigabytes or work.gigabytes(),
            "slurm_signal_delay_s": SIGNAL_SECONDS,
            "slurm_array_parallelism": self.jobs,
            **({"slurm_partition": self.partition} if self.partition else {}),
            **({"gpus_per_node": self.gpus} if self.gpus else {}),
            **({"slurm_additional_parameters": options} if options else {}),
        }


def _arrays(jobs: int) -> Iterator[int]:
    """Yield the sizes of arrays of jobs."""
    for first in range(0, jobs, IN_ARRAY):
        yield min(IN_ARRAY, jobs - first)
