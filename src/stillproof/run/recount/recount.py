"""Judges the answers of another store: each is counted again from what it stands on, as far as that can be done here.

A forgery that is consistent, from the outcomes of every image on, passes: only computing it again would show it. That
is why the store says of each such answer where it came from.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

from stillproof.core.components import stages
from stillproof.core.errors import StillproofError, StoreError
from stillproof.report.identities import has_risen
from stillproof.run.recount import attacked, made, trained
from stillproof.run.recount.evidence import Evidence, ForeignJob, NotHere, Wrong, expect
from stillproof.run.recount.forms import FORMS, form_fault
from stillproof.run.stage import Options, Stage
from stillproof.store.foreign_rows import ForeignCell
from stillproof.store.store import Store

HINTS = {"train": ("dataset", "network", "recipe")}  # texts that reports read beside an answer
SHOWN = 120  # letters of what an error says
# What tensors and cards of another form than ours make of our counting.
_SENSELESS = (ArithmeticError, AssertionError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)


def _derived(found: Evidence) -> None:
    """Compute again what is only repeated, chosen or counted: that costs nothing, and writes nothing."""
    stage: type[Stage] = stages.get(found.cell.stage)
    if not stage.bears_unsupported:
        for read in found.cell.needs:
            found.answer_of(read)
    answer = stage.compute(found.job)
    expect("what it stands on", sorted(set(found.cell.artifacts)), sorted(set(answer.artifacts)))
    expect("what it is derived from", sorted(set(found.cell.derived_from)), sorted(set(answer.derived_from)))
    found.says({key: value for key, value in answer.result.items() if key not in ("notes", "seconds", "peak_bytes")})


def _tuned(found: Evidence) -> None:
    """Repeat the training at the chosen rate, once it is made sure that it is the one."""
    store, asked = found.job.store, found.spec["train"]
    chosen = found.answer_of(found.spec["choice"])["chosen"]
    selected = store.results.get(found.cell.where["selected"])
    train = store.results.get(selected.spec["train"]) if selected is not None else None
    if selected is None or train is None or selected.spec["rule"] != "last":
        raise Wrong("it repeats no training")
    known = {key: train.spec.get(key) for key in asked if key != "recipe"}
    expect("the training that it repeats", known, {key: asked[key] for key in asked if key != "recipe"})
    said, recipe = dict(train.spec["recipe"]), dict(asked["recipe"])
    expect("its learning rate", said.pop("lr", chosen), chosen)
    recipe.pop("lr", None)
    expect("its recipe", said, recipe)
    _derived(found)


COUNTS: Mapping[str, Callable[[Evidence], None]] = {
    "adapt": trained.adaptation,
    "attack": attacked.attack,
    "attack-bench": attacked.bench,
    "attack-check": attacked.check,
    "attack-others": attacked.attack,
    "attacked-set": attacked.attacked_set,
    "best-rate": _derived,
    "by-class": _derived,
    "compare": _derived,
    "distil-attacked": attacked.attacked_set,
    "distill": made.distillation,
    "expert": made.expert,
    "judge": trained.judgement,
    "model": made.stored_model,
    "noisy": made.changed_set,
    "relabel": made.changed_set,
    "robust-curve": _derived,
    "same-space": made.changed_set,
    "select": _derived,
    "snapshot": made.changed_set,
    "train": trained.training,
    "transfer": attacked.transfer,
    "tuned": _tuned,
    "within": attacked.within,
    "worst-case": _derived,
    "zca": made.whitening,
}


def _hints_fault(cell: ForeignCell) -> str | None:
    """Return what a cell does not say of the data set and components that its answer is read with."""
    asked = HINTS.get(cell.stage, ("dataset",) if cell.spec.keys() & {"test", "data"} else ())
    absent = [key for key in asked if not isinstance(cell.where.get(key), str)]
    return f"it does not say of which {absent[0]} it is" if absent else None


class Recount:
    """Counts answers of another store again; ``uncounted`` says for want of what it could not, and how often."""

    def __init__(self, other: Store, root: Path) -> None:
        """Count with the data sets below ``root``."""
        self.uncounted: Counter[str] = Counter()
        self._other, self._code = other, functools.cache(stages.code)
        self._options = Options("", root, "cpu")

    def __call__(self, cell: ForeignCell) -> str | None:
        """Say why the answer of a cell cannot be right; nothing, if it can.

        Raises:
            StoreError: What it stands on cannot be read.
        """
        if cell.result is None:
            return None
        if cell.stage not in FORMS or has_risen("stages", cell.stage, cell.spec):  # it has a form of its own
            self.uncounted[f"stage {cell.stage} of that version"] += 1
            return None
        fault = form_fault(cell.stage, cell.result) or _hints_fault(cell)
        if fault is not None:
            return fault
        edited = cell.spec.get("edited") != self._code(cell.stage).get("edited")  # in another way than ours
        if cell.stage not in COUNTS or edited:
            self.uncounted[f"outcomes of {cell.stage}{' of edited code' if edited else ''}"] += 1
            return None
        job = ForeignJob(cell.id, cell.spec, cell.where, self._other, self._options, lambda share: None)
        try:
            COUNTS[cell.stage](Evidence(cell, job))
        except NotHere as missing:
            self.uncounted[f"data set {missing}"] += 1
        except Wrong as error:
            return str(error)
        except StoreError:
            raise
        except StillproofError as error:
            return str(error)
        except _SENSELESS as error:
            return f"what it stands on makes no sense: {type(error).__name__}: {error}"[:SHOWN]
        return None
