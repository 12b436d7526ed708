"""What results from elsewhere are, in a line and as JSON values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stillproof.core.amounts import duration
from stillproof.core.spec import Json

if TYPE_CHECKING:
    from stillproof.store.bundle import Bundle


def bundle_line(bundle: Bundle) -> str:
    """Say in a few words what they are."""
    answers = f"{bundle.done} of {len(bundle.answers)} answers"
    merged = f" ({bundle.merged} of them merged from other stores)" if bundle.merged else ""
    rows = f"{len(bundle.rows)} rows, {answers}{merged}"
    return f"{bundle.name}: {bundle.suite}, {rows}, computed in {duration(bundle.seconds)}"


def bundle_facts(bundle: Bundle) -> Json:
    """Return it as JSON values."""
    about = {key: getattr(bundle, key) for key in ("name", "suite", "command", "date", "stillproof", "seconds")}
    counts = {"rows": len(bundle.rows), "cells": len(bundle.answers), "done": bundle.done, "merged": bundle.merged}
    return about | counts
