"""The page on attacks does what it says."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path

import pytest

from commands import Commands
from stillproof.core.components import REGISTRIES, attacks
from stillproof.core.plugins import Plugin, load_plugin
from stillproof.testing.attack_models import Counted
from stillproof.testing.toy import toy_images

PAGE = Path(__file__).parents[1] / "docs" / "add-an-attack.md"


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "cooling.py").write_text(blocks("python")[0], encoding="utf-8")
    return tmp_path


def test_the_attack_of_the_page_keeps_the_contract(folder: Path, stillproof: Commands) -> None:
    checks = stillproof("check", "cooling.py", "--json", cwd=folder).json()["checks"]
    assert len(checks) == 10 and all(check["ok"] for check in checks), checks


def test_the_commands_of_the_page_work(folder: Path, stillproof: Commands) -> None:
    (listed,) = blocks("sh")
    for line in listed.splitlines():
        program, verb, *rest = shlex.split(line)
        assert program == "stillproof"
        done = stillproof(verb, *rest, cwd=folder)
        assert done.code == 0 and done.out, (line, done.err)


def test_the_lines_of_the_page_attack_a_model(capsys: pytest.CaptureFixture[str]) -> None:
    from stillproof.core.components import networks
    from stillproof.core.seeds import Seeds
    from stillproof.nets.build import build_network
    from stillproof.testing.toy import TOY

    source, lines = blocks("python")
    plugin = Plugin("cooling.py", source)
    load_plugin(plugin)
    try:
        data = toy_images()
        body = build_network(networks.build("mlp:width=8"), TOY, Seeds(0), "cpu")
        given = {"model": Counted(body), "images": data.read(slice(None)), "labels": data.labels}
        exec(lines, given)
    finally:
        attacks.remove(plugin.module)
    clean, robust, passes, seconds = map(float, capsys.readouterr().out.split())
    assert 0 <= robust <= clean <= 1 and passes >= 1 and seconds > 0


def test_the_entry_point_of_the_page_is_of_a_group_that_is_read() -> None:
    (text,) = blocks("toml")
    (group,) = tomllib.loads(text)["project"]["entry-points"]
    assert group.removeprefix("stillproof.") in REGISTRIES
