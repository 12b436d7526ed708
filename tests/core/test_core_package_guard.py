"""A plug-in may add components, and must leave everything else as it is."""

from __future__ import annotations

import sys
import types

import pytest

import stillproof.train.loop
from fresh_python import run_python
from stillproof.core.components import distillers
from stillproof.core.errors import PluginError
from stillproof.core.plugins import Plugin, load_plugin
from stillproof.core.types import ImageSet
from stillproof.train import loop

HEAD = """
from dataclasses import dataclass
import stillproof, stillproof.core.components as c
from stillproof.core.types import ImageSet
from stillproof.train import loop
from stillproof import distillers
from stillproof.distill.dm import DistributionMatching
def evil(*args, **kwargs):
    return 0
"""


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("ImageSet.read = evil", r"stillproof\.core\.types\.ImageSet\.read"),
        ("setattr(ImageSet, '__len__', evil)", r"stillproof\.core\.types\.ImageSet\.__len__"),
        ("ImageSet.__getitem__ = evil", r"stillproof\.core\.types\.ImageSet\.__getitem__"),
        ("del ImageSet.read", r"stillproof\.core\.types\.ImageSet\.read"),
        ("ImageSet.info = property(evil)", r"stillproof\.core\.types\.ImageSet\.info"),
        ("loop.fit = evil", r"stillproof\.train\.loop\.fit"),
        ("loop.len = evil", r"stillproof\.train\.loop\.len"),
        ("stillproof.core.components.distillers = evil", r"stillproof\.core\.components\.distillers"),
        ("c.REGISTRIES['distillers'] = evil", r"stillproof\.core\.components\.REGISTRIES\['distillers'\]"),
        ("distillers._classes['dm'] = evil", r"distillers\.get\('dm'\)"),
        ("distillers.entries().pop('dm')", r"distillers\.entries\(\)\['dm'\]"),
        ("distillers.entries()['dm'] = distillers.entries()['dc']", r"distillers\.entries\(\)\['dm'\]"),
        ("distillers.build = evil", r"distillers\.build"),
        ("type(distillers).build = evil", r"stillproof\.core\.registry\.Registry\.build"),
        ("DistributionMatching.distill = evil", r"stillproof\.distill\.dm\.DistributionMatching\.distill"),
        (
            "import sys, types; sys.modules['stillproof.train.loop'] = types.ModuleType('x')",
            r"sys\.modules\['stillproof",
        ),
        ("import stillproof.data.mnist as m; m.first_found = evil", r"stillproof\.data\.mnist\.first_found"),
    ],
)
def test_what_it_replaces_is_named_and_put_back(line: str, named: str) -> None:
    read, fit, length, build = ImageSet.read, loop.fit, ImageSet.__len__, type(distillers).build
    with pytest.raises(
        PluginError, match=rf"plug-in mine\.py cannot be loaded: it replaces .*{named}.*, which other .*instead"
    ):
        load_plugin(Plugin("mine.py", HEAD + line))
    assert (ImageSet.read, loop.fit, ImageSet.__len__, type(distillers).build) == (read, fit, length, build)
    assert sys.modules["stillproof.train.loop"] is loop is stillproof.train.loop and isinstance(loop, types.ModuleType)
    assert distillers.get("dm").__module__ == "stillproof.distill.dm" and not hasattr(loop, "len")
    assert not hasattr(ImageSet, "__getitem__")
    assert "build" not in vars(distillers)


def test_even_modules_that_the_plug_in_is_the_first_to_load_are_as_they_were() -> None:
    code = '''
import sys
from stillproof.core.errors import PluginError
from stillproof.core.plugins import Plugin, load_plugin
source = """
import importlib
loop = importlib.import_module("stillproof.train.loop")
loop.fit = print
from stillproof.run.stages import train as stage
"""
try:
    load_plugin(Plugin("mine.py", source))
except PluginError as error:
    print(error)
from stillproof.run.stages import train as stage
import stillproof.train.loop as loop
assert loop.fit is not print
for name, module in list(sys.modules.items()):
    if name.startswith("stillproof"):
        assert print not in [value for value in vars(module).values() if callable(value)], name
'''
    assert "it replaces stillproof.train.loop.fit" in run_python(code)


def test_what_fails_on_the_way_is_put_back_too() -> None:
    read = ImageSet.read
    with pytest.raises(PluginError, match="ZeroDivisionError"):
        load_plugin(Plugin("mine.py", HEAD + "ImageSet.read = evil\n1 / 0"))
    assert ImageSet.read is read


def test_using_the_package_while_it_is_imported_is_no_change() -> None:
    source = (
        HEAD
        + """
import warnings
import stillproof.plugin as p
warnings.warn("mine")
for registry in c.REGISTRIES.values():
    for name in [name for name in registry.entries() if name != 'quiet']:
        registry.get(name)
print(stillproof.recipes.build("dc-bench"), ImageSet.__annotations__)
from stillproof.api import evaluate

@p.networks.register("quiet", version=1)
@dataclass(frozen=True)
class Quiet(ImageSet):
    \"\"\"Nothing.\"\"\"
"""
    )
    load = f"load_plugin(Plugin('mine.py', {source!r}))"
    assert run_python(f"from stillproof.core.plugins import Plugin, load_plugin\n{load}\nprint('ok')").endswith("ok\n")
