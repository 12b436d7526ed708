from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import stillproof
from fresh_python import run_python

ROOT = Path(stillproof.__file__).parent

# From the bottom up. A file may import what is below its own layer, and its own package; `testing` may import whatever
# is below the command line, and only the command line may import `testing`.
LAYERS: tuple[frozenset[str], ...] = (
    frozenset({"core"}),
    frozenset({"data", "transforms", "nets", "store"}),
    frozenset({"train", "attack"}),
    frozenset({"sets"}),
    frozenset({"distill", "defend", "importers"}),
    frozenset({"score"}),
    frozenset({"report"}),
    frozenset({"suites"}),
    frozenset({"site"}),
    frozenset({"run"}),
    frozenset(
        {
            "answers",
            "author_report",
            "attack_answers",
            "attack_set_forecast",
            "attack_set_question",
            "attacked_sets",
            "image_finder",
            "given",
            "set_finder",
            "model_finder",
            "suite_methods",
            "contender_finder",
            "stored_predictions",
            "loaded_set",
            "training_batches",
        }
    ),
    frozenset({"verbs"}),
    frozenset({"session", "testing", "plugin"}),
    frozenset({"web", "cli"}),
    frozenset({"api", "own_model", "__main__"}),  # they show their progress as the command line does
)
LEVELS = {package: level for level, layer in enumerate(LAYERS) for package in layer}
# One library, in several files.
WITHIN_A_LAYER = {
    ("answers", "author_report"),
    *(("given", other) for other in ("answers", "image_finder")),
    *(("suite_methods", other) for other in ("given", "set_finder", "image_finder")),
    ("set_finder", "image_finder"),
    ("loaded_set", "training_batches"),
    *(("contender_finder", other) for other in ("answers", "image_finder")),
    *(("model_finder", other) for other in ("answers", "image_finder")),
}
TORCH_FREE = ("core", "suites", "report", "score")
END = "-- that was one answer --"

FILES = sorted(ROOT.rglob("*.py"))


def package_of(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def module_of(path: Path) -> str:
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts).removesuffix(".__init__")


def imports(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            assert node.module is not None
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def imported_packages(source: str) -> set[str]:
    names = [name.split(".") for name in imports(ast.parse(source)) if name.split(".")[0] == "stillproof"]
    return {parts[1] if len(parts) > 1 else "__init__" for parts in names}


def forbidden(package: str, source: str) -> set[str]:
    """Return the packages that a file of ``package`` imports and must not."""
    return {
        other
        for other in imported_packages(source)
        if other != package
        and (package, other) not in WITHIN_A_LAYER
        and (other not in LEVELS or LEVELS[other] >= LEVELS[package])
    }


def test_every_package_has_its_layer() -> None:
    assert {package_of(path) for path in FILES} - {"__init__"} <= LEVELS.keys()


def test_a_file_imports_only_what_is_below_it() -> None:
    files = [path for path in FILES if package_of(path) != "__init__"]
    found = {module_of(path): forbidden(package_of(path), path.read_text(encoding="utf-8")) for path in files}
    assert {module: upwards for module, upwards in found.items() if upwards} == {}


@pytest.mark.parametrize(
    ("package", "line"),
    [
        ("core", "from stillproof.data.load import load"),
        ("nets", "import stillproof.transforms.zca"),
        ("train", "def f() -> None:\n    from stillproof.distill import dm"),
        ("importers", "from stillproof.distill import dm"),
        ("score", "from stillproof.report.tables.table import Table"),
        ("report", "from stillproof.suites.requests import Row"),
        ("suites", "from stillproof.run.plan import Planner"),
        ("run", "from stillproof.testing.toy import toy_images"),
        ("testing", "from stillproof.cli.main import app"),
        ("session", "from stillproof.api import evaluate"),
        ("data", "from stillproof import networks"),
    ],
)
def test_an_import_upwards_or_sideways_is_noticed(package: str, line: str) -> None:
    assert forbidden(package, line)


def test_the_package_itself_loads_nothing_but_core_at_once() -> None:
    tree = ast.parse((ROOT / "__init__.py").read_text(encoding="utf-8"))
    at_once = ast.Module([node for node in tree.body if not isinstance(node, ast.If)], [])
    assert {name.split(".")[1] for name in imports(at_once) if name.startswith("stillproof")} == {"core"}


def test_a_report_only_reads_answers() -> None:
    files = [path for path in FILES if package_of(path) == "report"]
    found = {module_of(path): imported_packages(path.read_text(encoding="utf-8")) for path in files}
    assert {module: used for module, used in found.items() if not used <= {"core", "store", "score", "report"}} == {}


@pytest.mark.parametrize(
    ("library", "packages"), [("torch", TORCH_FREE), ("matplotlib", ("suites", "report"))], ids=["torch", "matplotlib"]
)
def test_packages_that_compute_or_draw_nothing_leave_it_alone(library: str, packages: tuple[str, ...]) -> None:
    modules = {package: [module_of(path) for path in FILES if package_of(path) == package] for package in packages}
    assert all(len(names) > 1 for names in modules.values())
    lines = (f"import {', '.join(names)}; assert {library!r} not in sys.modules" for names in modules.values())
    run_python("\n".join(("import sys", *lines)))


def test_asking_what_there_is_leaves_torch_alone() -> None:
    asked = {
        "--help": "distill",
        "--version": f"stillproof {stillproof.__version__}",
        "list": "convnet",
        "list --all": "convnet-3",
        "list --json": '"dm"',
        "list objectives": "cross-entropy",
        "list defences": "pgd-at",
    }
    code = f"""
import sys
from stillproof.cli.main import app
for arguments in {list(asked)}:
    app(arguments.split(), standalone_mode=False)
    print({END!r})
    assert "torch" not in sys.modules, arguments
"""
    *printed, _ = run_python(code).split(END)
    for expected, answer in zip(asked.values(), printed, strict=True):
        assert expected in answer


def test_importing_the_package_leaves_torch_alone() -> None:
    run_python(
        "import sys, stillproof\nassert 'torch' not in sys.modules\nassert 'stillproof.session' not in sys.modules"
    )


def test_every_public_name_is_there() -> None:
    assert all(getattr(stillproof, name) is not None for name in stillproof.__all__)
    with pytest.raises(AttributeError, match="nonsense"):
        _ = stillproof.nonsense
