from __future__ import annotations

import logging
import pickle
import sys
from pathlib import Path

import pytest

from fresh_python import run_python
from stillproof.core.components import distillers, networks
from stillproof.core.errors import PluginError, UnknownName
from stillproof.core.plugins import Plugin, load_plugin, load_plugins, read_plugin

pytestmark = pytest.mark.usefixtures("no_plugin_left")
SOURCE = '''
"""A plug-in for tests."""
from __future__ import annotations
from dataclasses import dataclass
from stillproof import distillers

@distillers.register("plugged", version=1)
@dataclass(frozen=True)
class Plugged:
    """Does nothing."""
    steps: int = 4
'''
ENTRY_POINTS = "[stillproof.distillers]\nplugged = plugged_package.methods\n"


def plugin_modules() -> list[str]:
    return [name for name in sys.modules if name.startswith("stillproof_plugin_")]


def test_what_a_plugin_registers_can_be_built_and_has_a_spec() -> None:
    load_plugin(Plugin("mine.py", SOURCE))
    built = distillers.build("plugged:steps=7")
    assert distillers.spec(built).params == {"steps": 7}
    entry = distillers.entry("plugged")
    assert (entry.origin, entry.summary, entry.params) == ("mine.py", "Does nothing.", {"steps": "int = 4"})


def test_loading_twice_is_loading_once() -> None:
    load_plugin(Plugin("mine.py", SOURCE))
    first = distillers.get("plugged")
    load_plugin(Plugin("copy.py", SOURCE))
    assert distillers.get("plugged") is first


@pytest.mark.parametrize(
    ("tail", "reason"),
    [
        ("\nraise RuntimeError('half way')", "RuntimeError: half way"),
        ("\nimport there_is_no_such_module", "ModuleNotFoundError"),
        ("\ndef broken(:", "SyntaxError"),
        (
            "\n@distillers.register('dm', version=1)\nclass Usurper: ...",
            "'dm'.*already defined by stillproof.distill.dm",
        ),
        ("\n@distillers.register('plugged', version=1)\nclass Twin: ...", "'plugged'.*already defined"),
        ("\n@distillers.register('untold')\nclass Untold: ...", "version"),
    ],
)
def test_a_plugin_that_fails_leaves_nothing_behind(tail: str, reason: str) -> None:
    owner = distillers.get("dm")
    with pytest.raises(PluginError, match=rf"plug-in mine\.py cannot be loaded: .*{reason}"):
        load_plugin(Plugin("mine.py", SOURCE + tail))
    assert plugin_modules() == []
    with pytest.raises(UnknownName):
        distillers.get("plugged")
    assert distillers.get("dm") is owner


def test_what_fails_once_may_be_loaded_when_it_is_mended() -> None:
    with pytest.raises(PluginError):
        load_plugin(Plugin("mine.py", SOURCE + "\nraise RuntimeError"))
    load_plugin(Plugin("mine.py", SOURCE))
    assert distillers.build("plugged")


def test_a_broken_plugin_does_not_stop_the_others(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, logger="stillproof"):
        load_plugins([Plugin("broken.py", "1 / 0"), Plugin("mine.py", SOURCE)])
    assert distillers.build("plugged")
    assert "broken.py cannot be loaded: ZeroDivisionError" in caplog.text


def test_a_component_of_another_kind_goes_where_it_belongs() -> None:
    load_plugin(Plugin("net.py", SOURCE.replace("distillers", "networks")))
    assert "plugged" in networks.entries()
    assert "plugged" not in distillers.entries()


def test_a_file_is_read_by_value(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(SOURCE, encoding="utf-8")
    plugin = read_plugin(file)
    file.unlink()
    load_plugin(plugin)
    assert distillers.build("plugged")


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "latin.py").write_bytes(b"# \xff\xfe")
    for name in ("absent.py", "latin.py"):
        with pytest.raises(PluginError, match=f"{name} cannot be read"):
            read_plugin(tmp_path / name)


def test_the_bytes_alone_give_the_same_component_in_a_fresh_interpreter() -> None:
    plugin = Plugin("mine.py", SOURCE)
    load_plugin(plugin)
    code = f"""
import pickle
from stillproof.core.components import distillers
from stillproof.core.plugins import load_plugin
load_plugin(pickle.loads({pickle.dumps(plugin)!r}))
print(distillers.identity(distillers.build("plugged")))
"""
    assert run_python(code).strip() == str(distillers.identity(distillers.build("plugged")))


def test_comments_do_not_change_the_source_of_a_plugin() -> None:
    load_plugin(Plugin("mine.py", SOURCE))
    before = distillers.identity(distillers.build("plugged"))
    distillers.remove(distillers.entry("plugged").module)
    load_plugin(Plugin("mine.py", SOURCE + "# a comment\n"))
    assert distillers.identity(distillers.build("plugged")) == before
    distillers.remove(distillers.entry("plugged").module)
    load_plugin(Plugin("mine.py", SOURCE.replace("= 4", "= 5")))
    assert distillers.identity(distillers.build("plugged")) != before


def install(folder: Path, *, tail: str = "") -> str:
    """Lay out an installed package with one component; return the folder for PYTHONPATH."""
    package = folder / "plugged_package"
    package.mkdir()
    (package / "__init__.py").write_text("", encoding="utf-8")
    (package / "methods.py").write_text(SOURCE + tail, encoding="utf-8")
    info = folder / "plugged_package-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: plugged-package\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(ENTRY_POINTS, encoding="utf-8")
    return str(folder)


def test_an_installed_package_is_listed_without_being_imported(tmp_path: Path) -> None:
    code = """
import sys
from stillproof.core.components import distillers
from stillproof.core.plugins import import_entry_points, index_entry_points
index_entry_points()
index_entry_points()
assert distillers.entry("plugged").params == {"steps": "int = 4"}
assert "plugged_package.methods" not in sys.modules and "torch" not in sys.modules
import_entry_points()
print(distillers.build("plugged:steps=2").steps)
"""
    assert run_python(code, PYTHONPATH=install(tmp_path)) == "2\n"


def test_an_installed_package_that_fails_is_dropped_with_a_warning(tmp_path: Path) -> None:
    code = """
import logging, sys
logging.basicConfig(stream=sys.stdout, format="%(message)s")
from stillproof.core.components import distillers
from stillproof.core.plugins import import_entry_points, index_entry_points
index_entry_points()
import_entry_points()
assert "plugged" not in distillers.entries() and "dm" in distillers.entries()
"""
    path = install(tmp_path, tail="\nraise RuntimeError('too old')")
    assert "plugged_package.methods cannot be loaded: RuntimeError: too old at " in run_python(code, PYTHONPATH=path)
