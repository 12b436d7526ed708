"""Modules that a plug-in imports from beside its file, or from elsewhere outside installed packages."""

from __future__ import annotations

import logging
import pickle
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from commands import Commands
from stillproof.core.components import REGISTRIES, distillers
from stillproof.core.errors import PluginError
from stillproof.core.plugins import Plugin, load_plugin, load_plugins, read_plugin
from stillproof.core.source import file_of

pytestmark = pytest.mark.usefixtures("no_plugin_left")
ROOT = Path(__file__).parents[2]
METHOD = '''
from dataclasses import dataclass
from stillproof.plugin import distillers
{imports}

@distillers.register("{name}", version=1)
@dataclass(frozen=True)
class Method:
    """Says what its helpers say."""
    steps: int = 4
    def says(self):
{says}
'''


def write(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")


def method(imports: str, says: str, name: str = "mine") -> str:
    return METHOD.format(imports=imports, name=name, says="\n".join(f"        {line}" for line in says.splitlines()))


def loaded(file: Path) -> Plugin:
    plugin = read_plugin(file)
    load_plugin(plugin)
    return plugin


def unload(plugin: Plugin) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == plugin.module]:
        for registry in REGISTRIES.values():
            registry.remove(name)
        del sys.modules[name]


def says(name: str = "mine") -> Any:
    return distillers.build(name).says()  # type: ignore[attr-defined]


def own(file: Path, name: str = "mine") -> str:
    plugin = loaded(file)
    found: str = distillers.identity(distillers.build(name))["own"]
    unload(plugin)
    return found


def test_a_plug_in_without_helpers_keeps_its_name() -> None:
    plugin = loaded(ROOT / "examples" / "median_method.py")
    assert plugin.module == "stillproof_plugin_4a7e044a3591" and plugin.helpers == ()
    assert distillers.identity(distillers.build("median"))["own"] == "9b33946986667d6a"


# What stands beside the plug-in, how it imports that, what it then says, and which modules it needs.
WAYS: dict[str, tuple[dict[str, str], str, str, Any, set[str]]] = {
    "a module": ({"helper.py": "X = 1"}, "import helper", "return helper.X", 1, {"helper"}),
    "a name of a module": ({"helper.py": "X = 1"}, "from helper import X as Y", "return Y", 1, {"helper"}),
    "all names": ({"helper.py": "X = 1"}, "from helper import *", "return X", 1, {"helper"}),
    "relative": ({"helper.py": "X = 1"}, "from .helper import X", "return X", 1, {"helper"}),
    "relative, the module": ({"helper.py": "X = 1"}, "from . import helper", "return helper.X", 1, {"helper"}),
    "a helper of a helper": (
        {"helper.py": "import below\nX = below.X", "below.py": "X = 2", "other.py": "X = 3"},
        "import helper",
        "return helper.X",
        2,
        {"helper", "below"},
    ),
    "inside a function": ({"helper.py": "X = 1"}, "", "import helper\nreturn helper.X", 1, {"helper"}),
    "inside a helper's function": (
        {"helper.py": "def f():\n    from late import X\n    return X", "late.py": "X = 5"},
        "from helper import f",
        "return f()",
        5,
        {"helper", "late"},
    ),
    "a package": (
        {
            "pkg/__init__.py": "from .a import A",
            "pkg/a.py": "from . import b\nfrom .deep.c import C\nA = b.B + C",
            "pkg/b.py": "B = 1",
            "pkg/deep/__init__.py": "",
            "pkg/deep/c.py": "from ..b import B\nC = B + 1",
            "pkg/unused.py": "raise RuntimeError",
        },
        "import pkg",
        "return pkg.A",
        3,
        {"pkg", "pkg.a", "pkg.b", "pkg.deep", "pkg.deep.c"},
    ),
    "a module of a package": (
        {"pkg/__init__.py": "", "pkg/a.py": "X = 1"},
        "import pkg.a\nimport pkg.a as again",
        "return pkg.a.X + again.X",
        2,
        {"pkg", "pkg.a"},
    ),
    "a folder without an init file": (
        {"pkg/deep/a.py": "X = 1"},
        "from pkg.deep import a",
        "return a.X",
        1,
        {"pkg", "pkg.deep", "pkg.deep.a"},
    ),
    "a circle": (
        {"a.py": "import b\ndef f():\n    return b.X", "b.py": "import a\nX = 4\ndef g():\n    return a.f()"},
        "from b import g",
        "return g()",
        4,
        {"a", "b"},
    ),
    "the plug-in itself": (
        {"helper.py": "def f():\n    import mine\n    from mine import BASE\n    return mine.BASE + BASE"},
        "from helper import f\nBASE = 1",
        "return f()",
        2,
        {"helper"},
    ),
    "none that is not there": (
        {},
        "try:\n    import absent\nexcept ImportError:\n    absent = 7",
        "return absent",
        7,
        set(),
    ),
    "none of a folder of data": (
        {"wandb/log.txt": ""},
        "try:\n    import wandb\nexcept ImportError:\n    wandb = 8",
        "return wandb",
        8,
        set(),
    ),
    "the standard library first": ({"json.py": "X = 1"}, "import json", "return json.dumps(1)", "1", set()),
    "this package always": (
        {"stillproof/__init__.py": "raise RuntimeError"},
        "import stillproof.core.seeds",
        "return stillproof.core.seeds.__name__",
        "stillproof.core.seeds",
        set(),
    ),
    "__import__": ({"helper.py": "X = 1"}, "import helper", "return __import__('helper').X", 1, {"helper"}),
    "its own file": ({}, "", "return __file__.rpartition('/')[2]", "mine.py", set()),
    "a helper's file": (
        {"helper.py": "F = __file__"},
        "import helper",
        "return helper.F[-10:]",
        "/helper.py",
        {"helper"},
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_modules_beside_the_file_can_be_imported_and_travel(way: str, tmp_path: Path, stillproof: Commands) -> None:
    files, imports, body, expected, helpers = WAYS[way]
    folder = tmp_path / "there"
    write(folder, {"mine.py": method(imports, body), **files})
    plugin = loaded(folder / "mine.py")
    assert {one.name for one in plugin.helpers} == helpers
    shutil.rmtree(folder)  # another machine, on which its files are not
    name = str(distillers.identity(distillers.build("mine")))
    assert says() == expected
    code = f"""
import pickle
from stillproof.core.components import distillers
from stillproof.core.plugins import load_plugin
load_plugin(pickle.loads({pickle.dumps(plugin)!r}))
print(distillers.identity(distillers.build("mine")))
print(distillers.build("mine").says())
"""
    assert stillproof.python(code, cwd=tmp_path).out == f"{name}\n{expected}\n"


@pytest.mark.parametrize("way", [way for way, parts in WAYS.items() if parts[-1]])
def test_a_changed_helper_is_another_name_and_a_comment_is_none(way: str, tmp_path: Path) -> None:
    files, imports, body, _, helpers = WAYS[way]
    write(tmp_path, {"mine.py": method(imports, body), **files})
    before = own(tmp_path / "mine.py")
    for name in helpers:
        for file in (tmp_path / f"{name.replace('.', '/')}.py", tmp_path / name.replace(".", "/") / "__init__.py"):
            if file.exists():
                text = file.read_text(encoding="utf-8")
                file.write_text(f"{text}\n# a comment", encoding="utf-8")
                assert own(tmp_path / "mine.py") == before, file
                file.write_text(f"{text}\nNEW = 1", encoding="utf-8")
                assert own(tmp_path / "mine.py") != before, file
                file.write_text(text, encoding="utf-8")
    write(tmp_path, {"other.py": "X = 99", "pkg/unused.py": "NEW = 1"})
    assert own(tmp_path / "mine.py") == before, "what is not imported does not count"


def test_two_plug_ins_may_have_helpers_of_one_name(tmp_path: Path) -> None:
    for number in (1, 2):
        text = method("import helper", f"import helper\nreturn helper.X, {number}", f"mine{number}")
        write(tmp_path / str(number), {"mine.py": text, "helper.py": f"X = {10 * number}"})
        loaded(tmp_path / str(number) / "mine.py")
    assert (says("mine1"), says("mine2")) == ((10, 1), (20, 2))


def test_the_same_file_with_another_helper_is_another_plug_in(tmp_path: Path) -> None:
    write(tmp_path, {"mine.py": method("import helper", "return helper.X"), "helper.py": "X = 1"})
    first = loaded(tmp_path / "mine.py")
    unload(first)
    write(tmp_path, {"helper.py": "X = 2"})
    assert loaded(tmp_path / "mine.py").module != first.module
    assert says() == 2


def test_a_linked_folder_or_file_is_what_it_links_to(tmp_path: Path) -> None:
    write(tmp_path / "real", {"mine.py": method("import helper", "return helper.X"), "helper.py": "X = 1"})
    (tmp_path / "folder").symlink_to(tmp_path / "real")
    (tmp_path / "link.py").symlink_to(tmp_path / "real" / "mine.py")
    names = {own(tmp_path / way) for way in ("real/mine.py", "folder/mine.py", "link.py")}
    assert len(names) == 1


def test_a_module_on_the_path_counts_and_travels_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"a/mine.py": method("import far_away", "return far_away.X"), "b/far_away.py": "X = 1"})
    monkeypatch.syspath_prepend(str(tmp_path / "b"))
    plugin = loaded(tmp_path / "a" / "mine.py")
    assert [one.name for one in plugin.helpers] == ["far_away"] and says() == 1
    assert "far_away" not in sys.modules


def test_installed_packages_count_by_their_versions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "lib" / "site-packages"
    write(place, {"installed_one.py": "X = 1"})
    write(tmp_path, {"mine.py": method("import installed_one, numpy, PIL", "return installed_one.X")})
    monkeypatch.syspath_prepend(str(place))
    assert loaded(tmp_path / "mine.py").helpers == () and says() == 1


def test_modules_of_the_users_behind_an_installed_plug_in_count_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(
        tmp_path, {"entry_one/__init__.py": "", "entry_one/methods.py": "import behind_one", "behind_one.py": "X = 1"}
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    from stillproof.core.closure import closure

    assert closure("entry_one.methods").keys() == {"entry_one.methods", "entry_one", "behind_one"} - {"entry_one"}
    file_of.cache_clear()


@pytest.mark.parametrize(
    ("files", "imports", "sentence"),
    [
        (
            {"helper.py": "def broken(:"},
            "import helper",
            r"helper\.py, which plug-in mine\.py imports, is not Python: .*line 1",
        ),
        ({"helper.py": "X = '\0'"}, "import helper", r"helper\.py, which plug-in mine\.py imports, is not Python"),
        (
            {"helper.cpython-311-x86_64-linux-gnu.so": ""},
            "import helper",
            r"is not Python source.*install it as a package",
        ),
        ({"helper.abi3.so": ""}, "import helper", r"is not Python source.*install it as a package"),
        ({"helper.py": "\n1 / 0"}, "import helper", r"ZeroDivisionError: division by zero at .*/helper\.py, line 2\."),
        (
            {"helper.py": "import sys\nsys.exit(0)"},
            "import helper",
            r"ends the program by sys\.exit\(0\) at .*/helper\.py, line 2\.",
        ),
        (
            {"b.py": ""},
            "import importlib, sys\nsys.path.insert(0, FOLDER)\nimportlib.import_module('b')",
            "imports b from .*use an import statement",
        ),
        ({}, "from .. import helper", "ImportError"),
    ],
)
def test_what_cannot_be_imported_is_a_sentence_and_leaves_nothing_behind(
    files: Mapping[str, str], imports: str, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    write(tmp_path, {"mine.py": method(imports.replace("FOLDER", repr(str(tmp_path))), "return 1"), **files})
    with pytest.raises(PluginError, match=sentence):
        loaded(tmp_path / "mine.py")
    assert not [name for name in sys.modules if name.startswith("stillproof_plugin_")]
    sys.modules.pop("b", None)


def test_a_helper_that_is_not_utf_8_is_named(tmp_path: Path) -> None:
    write(tmp_path, {"mine.py": method("import helper", "return 1")})
    (tmp_path / "helper.py").write_bytes(b"# \xff\xfe")
    with pytest.raises(
        PluginError, match=r"helper\.py, which plug-in mine\.py imports, cannot be read: it is not UTF-8"
    ):
        read_plugin(tmp_path / "mine.py")


def test_a_plug_in_that_ends_the_program_does_not_end_it(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, logger="stillproof"):
        load_plugins([Plugin("ends.py", "import sys\n\nsys.exit(0)")])
    assert "plug-in ends.py cannot be loaded: it ends the program by sys.exit(0) at ends.py, line 3." in caplog.text
