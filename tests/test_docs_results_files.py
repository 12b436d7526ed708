from __future__ import annotations

import re
import shlex
from pathlib import Path

from commands import TINY, Commands
from stillproof.store.bundle import Bundle, BundledAnswer, BundledRow

PAGE = (Path(__file__).parents[1] / "docs" / "results-files.md").read_text(encoding="utf-8")


def test_the_commands_of_the_page_work(tmp_path: Path, stillproof: Commands) -> None:
    (block,) = re.findall(r"^```sh\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    said = {}
    for line in block.splitlines():
        program, verb, *rest = shlex.split(line.replace("quick", "smoke"))
        assert program == "stillproof"
        done = stillproof(verb, *rest, *(TINY if verb == "run" else []), cwd=tmp_path)
        assert done.code == 0 and done.out, (line, done.err)
        said[line] = done.out + done.err
    assert "1 of 1 numbers of first/random lie" in said["stillproof verify first/random --store other.db"]
    assert "imported results" in said["stillproof status --store other.db"]


def test_the_page_has_every_field_of_a_bundle() -> None:
    fields = {
        field.alias or name for part in (Bundle, BundledRow, BundledAnswer) for name, field in part.model_fields.items()
    }
    assert {name for name in fields if f"`{name}`" not in PAGE} == set()
