"""A picture of one image under many attacks: what each left of it, and its change beside it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from stillproof.core.errors import BadInput
from stillproof.core.mad_attacks import is_mad, mad_attack
from stillproof.data.load import load
from stillproof.run.attacked_picture import (
    GAP,
    LINE,
    SIZE,
    AttackedImage,
    class_named,
    factor_for,
    side_for,
    tile,
    write_centred,
)
from stillproof.store.artifact_files import read_card
from stillproof.store.store import Store

ACROSS = 5  # attacks in a row
LEVELS = 255


def attacked_gallery(store: Store, artifacts: Mapping[str, str], root: Path, title: str) -> Image.Image:
    """Return the picture of the image that most of the attacks turned, the first of those, or that most have at all.

    Args:
        store: Where the sets are.
        artifacts: The attacked set of each attack, by what the attack is called.
        root: The folder of the data sets.
        title: What stands above it.

    Raises:
        BadInput: It is not known which images the attacked ones are made of.
    """
    found = {called: store.artifacts.arrays(artifact) for called, artifact in artifacts.items()}
    card = read_card(store.artifacts.folder(next(iter(artifacts.values()))))
    source = _most_turned(found)
    if source is None:
        raise BadInput(
            f"it is not known which images of {card['dataset']} were attacked, and a picture shows them: import the "
            "pictures again where that data set is at hand."
        )
    data = load(card["dataset"], card["part"], root)
    names = data.info.class_names or [str(label) for label in range(data.num_classes)]
    clean = data.read(slice(source, source + 1))[0].numpy()
    label = names[int(data.labels[source])]
    shown = {}
    for called, arrays in found.items():
        for at in np.flatnonzero(arrays["sources"] == source)[:1].tolist():
            after = arrays["images"][at].astype(np.float32) / LEVELS
            answers = arrays.get("rounded_predictions")
            said = "" if answers is None else class_named(int(answers[at]), names)
            shown[called] = AttackedImage(clean, after, label, said)
    about = f"{title}: {card['part']} image {source} of {card['dataset']}"
    absent = [called for called in found if called not in shown]
    return _sheet(clean, label, shown, f"{about}, not under {', '.join(absent)}" if absent else about)


def _most_turned(found: Mapping[str, Mapping[str, np.ndarray]]) -> int | None:
    """Return the source that is in most sets, of those the one that most attacks turned; None if none is known."""
    sets, turned = Counter[int](), Counter[int]()
    for arrays in found.values():
        sources = arrays["sources"]
        sets.update(set(sources[sources >= 0].tolist()))
        if {"clean_predictions", "rounded_predictions"} <= arrays.keys():
            wrong = arrays["rounded_predictions"] != arrays["labels"]
            turned.update(sources[wrong & (arrays["clean_predictions"] == arrays["labels"])].tolist())
    return min(sets, key=lambda source: (-sets[source], -turned[source], source), default=None)


def _sheet(clean: np.ndarray, label: str, shown: Mapping[str, AttackedImage], title: str) -> Image.Image:
    font = ImageFont.load_default(size=SIZE)
    side = side_for(clean.shape[-1])
    wide, high = 2 * side + 3 * GAP, side + 3 * LINE
    rows = -(-(len(shown) + 1) // ACROSS)
    width = max(min(len(shown) + 1, ACROSS) * wide + GAP, int(font.getlength(title)) + 2 * GAP)
    sheet = Image.new("RGB", (width, rows * high + 2 * LINE), "white")
    draw = ImageDraw.Draw(sheet)
    draw.text((GAP, GAP), title, fill="black", font=font)
    sheet.paste(tile(clean, side), (GAP, 3 * LINE))
    write_centred(draw, GAP, 2 * LINE, side, "clean", "black", font)
    write_centred(draw, GAP, 3 * LINE + side, side, label, "black", font)
    for place, (called, image) in enumerate(shown.items(), 1):
        x, y = GAP + place % ACROSS * wide, 2 * LINE + place // ACROSS * high
        factor = factor_for([image])
        sheet.paste(tile(image.after, side), (x, y + LINE))
        sheet.paste(tile(0.5 + factor * (image.after - image.before), side), (x + side + GAP // 2, y + LINE))
        about = f"{called} {mad_attack(called).title}" if is_mad(called) else called
        write_centred(draw, x, y, 2 * side, about, "black", font)
        said = "black" if image.said == image.label else "firebrick"
        write_centred(draw, x, y + LINE + side, side, image.said, said, font)
        write_centred(draw, x + side, y + LINE + side, side, f"x {factor:.2g}", "black", font)
    return sheet
