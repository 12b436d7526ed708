"""No command prints a store's URL, which may hold a password: people read ``shown``, and only workers get ``url``."""

from __future__ import annotations

import ast
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import stillproof
from stillproof.cli.main import app
from stillproof.store import store as store_module
from stillproof.store.store import Store, open_store

ROOT = Path(stillproof.__file__).parent
PRINTING = (*sorted((ROOT / "cli").rglob("*.py")), *sorted((ROOT / "report").rglob("*.py")))
COMPUTING = (*sorted((ROOT / "run").rglob("*.py")), ROOT / "session.py", ROOT / "api.py", ROOT / "image_finder.py")
URLS = ("url", "store_url")
TELLING = ("print", "write", "say", "write_json", "write_table", "format", "repr", "str", "echo")
LEVELS = ("debug", "info", "warning", "error", "exception", "critical", "log")


def urls_in(tree: ast.AST) -> Iterator[ast.Attribute]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and node.attr in URLS)


def tells(node: ast.AST) -> bool:
    """Say whether ``node`` makes something that people read of what is below it."""
    if isinstance(node, ast.JoinedStr | ast.Raise) or (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod)):
        return True
    if not isinstance(node, ast.Call):
        return False
    called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    return called in (*TELLING, *LEVELS)


def told_urls(source: str) -> list[int]:
    """Return the lines in which a URL becomes a part of something that people read."""
    tree = ast.parse(source)
    return [url.lineno for node in ast.walk(tree) if tells(node) for url in urls_in(node)]


@pytest.mark.parametrize("path", PRINTING, ids=lambda path: str(path.relative_to(ROOT)))
def test_what_prints_does_not_know_the_url(path: Path) -> None:
    assert [url.lineno for url in urls_in(ast.parse(path.read_text(encoding="utf-8")))] == []


@pytest.mark.parametrize("path", COMPUTING, ids=lambda path: str(path.relative_to(ROOT)))
def test_what_computes_does_not_tell_the_url(path: Path) -> None:
    assert told_urls(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "line",
    [
        "write(f'store {opened.url}')",
        "log.warning('store %s is slow', self.store.url)",
        "raise StoreError('no store ' + store.url)",
        "text = 'store %s' % options.store_url",
        "write_json({'store': opened.url})",
    ],
)
def test_a_url_that_is_told_is_noticed(line: str) -> None:
    assert told_urls(line)
    assert told_urls(line.replace("store_url", "shown").replace("url", "shown")) == []


def test_a_url_that_is_handed_to_a_worker_may_be_one() -> None:
    assert told_urls("options = Options(self.store.url, root)\nwith open_store(options.store_url) as store: pass") == []


@pytest.mark.parametrize("arguments", [["status"], ["status", "--json"], ["doctor"], ["doctor", "--json"]])
def test_a_password_is_not_printed(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    open_store(str(tmp_path / "x.db")).close()

    def with_password(url: str | None = None, **options: Any) -> Store:
        opened = open_store(url, **options)
        opened.url = "postgresql://u:secret@host/x"
        return opened

    monkeypatch.setattr(store_module, "open_store", with_password)
    with caplog.at_level(logging.DEBUG):
        result = CliRunner().invoke(app, [*arguments, "--store", str(tmp_path / "x.db")])
    assert result.exit_code == 0 and "x.db" in result.output
    assert "secret" not in result.output and "secret" not in caplog.text


@pytest.mark.parametrize("verb", ["status", "doctor"])
def test_a_store_that_cannot_be_opened_is_named_without_its_password(
    verb: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("STILLPROOF_ARTIFACTS", raising=False)
    for url in ("postgresql://u:secret@host/x", "postgresql://u:secret@host:port/x"):
        result = CliRunner().invoke(app, [verb, "--store", url])
        assert "secret" not in result.output and "secret" not in str(result.exception)
