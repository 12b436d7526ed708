"""Works on a plan in this process."""

from __future__ import annotations

from dataclasses import dataclass

from stillproof.core.components import executors
from stillproof.run.executor import Executor, Work
from stillproof.run.this_process import run_in_this_process


@executors.register("here", version=1)
@dataclass(frozen=True)
class ThisProcess(Executor):
    """Computes in this process, one cell after another, with all of its threads."""

    def execute(self, work: Work) -> None:
        """Finish the work."""
        run_in_this_process(work)
