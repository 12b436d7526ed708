from __future__ import annotations

import ast
import io
import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import EpsImagePlugin, Image

import stillproof
from stillproof.core.errors import BadInput, Corrupt
from stillproof.core.open_picture import MOST_PIXELS, open_picture
from stillproof.data.download import FetchFailed
from stillproof.data.load import source
from stillproof.data.mirrors import place_cifar_pngs
from stillproof.data.pictures import read_picture
from stillproof.importers.import_options import ImportOptions
from stillproof.importers.import_sets import read_sets

ROOT = Path(stillproof.__file__).parent
EPS = b"""%!PS-Adobe-3.0 EPSF-3.0
%%BoundingBox: 0 0 8 8
%%EndComments
(ghostscript-was-here) (w) file closefile
showpage
"""


def chunk(name: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def claims_to_be(width: int, height: int) -> bytes:
    """A small PNG that declares any size."""
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(bytes(1000))) + chunk(b"IEND", b"")


def as_format(form: str) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (8, 8), "red").save(buffer, format=form)
    return buffer.getvalue()


def read_one(path: Path) -> None:
    read_picture(path, 8, 3)


def import_folder(path: Path) -> None:
    read_sets(path.parents[1], source("digits").info, "digits", ImportOptions())


def mirror(path: Path) -> None:
    (path.parents[1] / "package").mkdir()
    path.rename(path.parents[1] / "package" / "data_batch_1.png")
    place_cifar_pngs(path.parents[1], path.parents[1])


@pytest.mark.parametrize("use", [read_one, import_folder, mirror])
@pytest.mark.parametrize(
    "content", [EPS, as_format("TIFF"), as_format("GIF"), claims_to_be(60_000, 60_000), claims_to_be(10_000, 10_000)]
)
def test_nothing_but_pictures_of_a_sane_size_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, use: Callable[[Path], None], content: bytes
) -> None:
    def started(*_: object, **__: object) -> None:
        pytest.fail("Ghostscript was started")

    monkeypatch.setattr(EpsImagePlugin, "Ghostscript", started)
    path = tmp_path / "0" / "0.png"
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises((BadInput, Corrupt, FetchFailed)) as refused:
        use(path)
    assert any(words in str(refused.value) for words in ("neither a PNG nor a JPEG", "pixels"))
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("form", ["PNG", "JPEG"])
@pytest.mark.parametrize("name", ["a.png", "a.JPEG"])
def test_either_format_may_have_either_name(tmp_path: Path, form: str, name: str) -> None:
    (tmp_path / name).write_bytes(as_format(form))
    assert read_picture(tmp_path / name, 4, 3).shape == (4, 4, 3)


def test_a_thin_picture_does_not_grow_without_end(tmp_path: Path) -> None:
    Image.new("L", (1_000_000, 1)).save(tmp_path / "a.png")
    with pytest.raises(BadInput, match=f"224000000 x 224 are more than {MOST_PIXELS} pixels"):
        read_picture(tmp_path / "a.png", 224, 3)


@pytest.mark.parametrize("form", ["PNG", "JPEG"])
def test_a_picture_that_is_cut_short_is_refused_with_a_sentence(tmp_path: Path, form: str) -> None:
    whole = as_format(form)
    for kept in range(len(whole) - 1):
        (tmp_path / "a.png").write_bytes(whole[:kept])
        try:
            with open_picture(tmp_path / "a.png") as picture:
                picture.load()
        except BadInput as error:
            assert "\n" not in str(error)


def opens_pictures(tree: ast.AST) -> bool:
    """Say whether a file calls ``Image.open`` of Pillow, under whichever way of writing it."""
    calls = {ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    taken = [n for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) and (n.module or "").startswith("PIL")]
    renamed = any(alias.name == "open" or alias.asname for node in taken for alias in node.names)
    return renamed or bool({"Image.open", "PIL.Image.open", "ImageFile.Parser"} & calls)


def test_pictures_are_opened_in_one_place() -> None:
    found = [path for path in ROOT.rglob("*.py") if opens_pictures(ast.parse(path.read_text(encoding="utf-8")))]
    assert [path.relative_to(ROOT).as_posix() for path in found] == ["core/open_picture.py"]
    assert opens_pictures(ast.parse("from PIL.Image import open")) and opens_pictures(
        ast.parse("import PIL\nPIL.Image.open(x)")
    )
