"""Results from elsewhere whose method has a name that nobody should trust."""

from __future__ import annotations

import json
from pathlib import Path

from stillproof.session import Session
from stillproof.store.read_bundle import bundle_text

RIGHT_TO_LEFT = "\u05e9\u05dc\u05d5\u05dd"
STRANGE = f"<script>alert('x')</script> \"quoted\" & {RIGHT_TO_LEFT}\nsecond line {'long' * 70}"


def import_strange(session: Session, folder: Path, method: str) -> None:
    """Bring in what this store knows of a method, by results that call it something else."""
    content = json.loads(bundle_text(session.export_results("report-card", name="strange")))
    for row in content["rows"]:
        if row["keys"].get("method") == method:
            row["keys"]["method"] = STRANGE
    (folder / "strange.json").write_text(json.dumps(content), encoding="utf-8")
    session.import_results(folder / "strange.json")
