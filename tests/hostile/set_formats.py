"""Sets and models as others save them: files of torch, pickles, and numpy's."""

from __future__ import annotations

import io
import math
import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from formats import Format, Pieces, unzipped, zipped

from stillproof.core.types import DataInfo, Hard
from stillproof.data import numpy_files
from stillproof.data.load import source
from stillproof.importers.checkpoints import read_model
from stillproof.importers.detect import is_model
from stillproof.importers.fkd import with_recorded_labels
from stillproof.importers.foreign_set import ForeignSet
from stillproof.importers.import_options import ImportOptions
from stillproof.importers.import_sets import read_sets
from stillproof.importers.pickled_tensors import load_pickled_tensors
from stillproof.importers.torch_file import load_torch

INFO: DataInfo = source("digits").info
LABELS = torch.arange(10).repeat_interleave(2)
IMAGES = torch.randn(20, 1, 8, 8, generator=torch.Generator().manual_seed(0))
RECORDS = re.compile(r"/data(\.pkl|/\d+)$")


def saved(value: Any, zipped: bool = True) -> bytes:
    buffer = io.BytesIO()
    torch.save(value, buffer, _use_new_zipfile_serialization=zipped)
    return buffer.getvalue()


def arrays(pack: Callable[..., None] = np.savez, **named: Any) -> bytes:
    buffer = io.BytesIO()
    pack(buffer, **named)
    return buffer.getvalue()


def array(value: Any) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, value)
    return buffer.getvalue()


def sets(target: str) -> Callable[[Path], Any]:
    def read(folder: Path) -> Any:
        is_model(folder / target)
        return [foreign for foreign, _ in read_sets(folder / target, INFO, "digits", ImportOptions()).sets]

    return read


def same_sets(pairs: Callable[[Any], list[Any]]) -> Callable[[Any, Any], str]:
    """Compare sets that were read with pairs of images and labels, which another decoder found."""

    def meant(found: Any, theirs: Any) -> str:
        true = pairs(theirs)
        if len(found) != len(true):
            return f"{len(found)} sets instead of {len(true)}"
        for number, (one, (images, labels)) in enumerate(zip(found, true, strict=True)):
            if not torch.equal(one.images.float(), as_pixels(as_tensor(images))):
                return f"images of set {number} are others"
            classes = as_tensor(labels)
            classes = classes.float().argmax(1) if classes.ndim == 2 else classes
            if not torch.equal(one.labels.classes.double(), classes.double()):
                return f"labels of set {number} are others"
        return ""

    return meant


def as_tensor(values: Any) -> Any:
    if isinstance(values, np.ndarray):
        values = values.astype(values.dtype.newbyteorder("="))
    return torch.as_tensor(values)


def as_pixels(images: Any) -> Any:
    """Return images as floats, channels first, bytes divided by 255."""
    if images.ndim == 3:
        images = images.unsqueeze(1)
    if images.shape[-1] == 1 and images.shape[1] != 1:
        images = images.movedim(-1, 1)
    return images.float().div(255) if images.dtype == torch.uint8 else images.float()


def same_weights(found: Any, theirs: Any) -> str:
    """Compare weights in their order: names of others are taken, as long as they fit."""
    true = list(theirs["state_dict"].values())
    same = [torch.equal(one, other.float()) for one, other in zip(found[0].values(), true, strict=False)]
    return "" if all(same) and len(found[0]) == len(true) else "the weights are others"


def same_rate(found: Any, theirs: Any) -> str:
    rate = found[0].recipe_params["lr"]
    return "" if math.isclose(rate, float(theirs), rel_tol=1e-6) else f"the rate is {rate}"


def model(target: str) -> Callable[[Path], Any]:
    def read(folder: Path) -> Any:
        found = read_model(folder / target, INFO)
        return found.tensors, found.card.network, found.card.epoch

    return read


def by_torch(path: Path) -> Any:
    # Ours has taken it, and so it asks for nothing but tensors and arrays.
    return plain_values(torch.load(path, map_location="cpu", weights_only=False))


def by_pickle(path: Path) -> Any:
    return plain_values(ToProcessor(io.BytesIO(path.read_bytes())).load())


class ToProcessor(pickle.Unpickler):
    """Reads tensors of any device onto the processor, as ours does."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == ("torch.storage", "_load_from_bytes"):
            return lambda content: torch.load(io.BytesIO(content), map_location="cpu", weights_only=True)
        return super().find_class(module, name)


def plain_values(value: Any) -> Any:
    """Return a value as ours has it: tuples are lists, numbers are Python's, and devices and types are named."""
    if isinstance(value, dict):
        return {key: plain_values(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain_values(inner) for inner in value]
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, torch.dtype):
        return str(value).removeprefix("torch.")
    return str(value) if isinstance(value, torch.device) else value


def torch_format(name: str, target: str, value: Any, *, legacy: bool = False, **more: Any) -> Format:
    others: Pieces = more.pop("others", {})
    seal: dict[str, Any] = {} if legacy else {"sealed": True, "apart": unzipped, "together": zipped, "part": RECORDS}
    return Format(
        name,
        target,
        lambda: {target: saved(value, not legacy), **others},
        more.pop("read", sets(target)),
        lambda folder: load_torch(folder / target),
        lambda folder: by_torch(folder / target),
        **(seal | more),
    )


def pickle_format(name: str, target: str, value: Any, pairs: Callable[[Any], list[Any]]) -> Format:
    return Format(
        name,
        target,
        lambda: {target: pickle.dumps(value)},
        sets(target),
        lambda folder: load_pickled_tensors(folder / target),
        lambda folder: by_pickle(folder / target),
        meant=same_sets(pairs),
    )


def npz_format(
    name: str,
    target: str,
    pack: Callable[..., None] = np.savez,
    meant: Callable[[Any, Any], str] = lambda found, theirs: "",
    **named: Any,
) -> Format:
    def decode(folder: Path) -> Any:
        path = folder / target
        return {key: numpy_files.read_npz(path, key)[0] for key in sorted(numpy_files.npz_names(path))}

    def plain(folder: Path) -> Any:
        with np.load(folder / target, allow_pickle=False) as archive:
            return {key: archive[key] for key in sorted(archive.files)}

    return Format(
        name,
        target,
        lambda: {target: arrays(pack, **named)},
        sets(target),
        decode,
        plain,
        True,
        unzipped,
        zipped,
        meant=meant,
    )


def recorded(folder: Path) -> Any:
    pictures = ForeignSet(IMAGES, Hard(LABELS), "pixels")
    return with_recorded_labels(pictures, folder, INFO)


def batch() -> list[Any]:
    logits = torch.randn(20, 10, generator=torch.Generator().manual_seed(1))
    coords = torch.tensor([[0.0, 0.0, 1.0, 1.0]]).repeat(20, 1)
    order = torch.randperm(20, generator=torch.Generator().manual_seed(2))
    return [coords, torch.zeros(20, dtype=torch.bool), order, 0.5, (1, 1, 4, 4), logits.half(), order]


def network() -> dict[str, Any]:
    from stillproof.core.components import networks
    from stillproof.core.seeds import Seeds
    from stillproof.nets.build import build_network

    body = build_network(networks.build("convnet-1:width=4"), INFO, Seeds(0), "cpu")
    return {"state_dict": body.state_dict(), "epoch": 3, "accuracy": np.float64(0.5)}


RESULTS = {
    "data": [[IMAGES, LABELS], [IMAGES + 1, LABELS]],
    "accs_all_exps": {"ConvNet": [np.float64(0.25), np.float64(0.5)], "all": np.array([0.25, 0.5])},
}
PIXELS = IMAGES.sigmoid()
ONE_HOT = torch.nn.functional.one_hot(LABELS, 10).float()

IN_RESULTS = same_sets(lambda theirs: theirs["data"])
IN_PAIR = same_sets(lambda theirs: [theirs[:2]])
OF_IMAGES = same_sets(lambda theirs: [(theirs, LABELS)])
OF_LABELS = same_sets(lambda theirs: [(IMAGES, theirs)])
NAMED = same_sets(lambda theirs: [(theirs["images"], theirs["labels"])])
RATE = {"images_best.pt": saved(IMAGES), "labels_best.pt": saved(ONE_HOT * 3)}


def two_files(folder: Path) -> Any:
    options = ImportOptions(labels=folder / "answers.npy")
    return [foreign for foreign, _ in read_sets(folder / "pictures.npy", INFO, "digits", options).sets]


def npy_format(name: str, target: str, read: Callable[[Path], Any], meant: Callable[[Any, Any], str]) -> Format:
    images, labels = ("images", "labels") if read is not two_files else ("pictures", "answers")
    return Format(
        name,
        target,
        lambda: {f"{images}.npy": array(PIXELS.numpy()), f"{labels}.npy": array(LABELS.numpy())},
        read,
        lambda folder: numpy_files.read_npy(folder / target),
        lambda folder: np.load(folder / target, allow_pickle=False),
        meant=meant,
    )


SET_FORMATS = [
    torch_format("results", "res_DC_digits_ConvNet_2ipc.pt", RESULTS, share=3, meant=IN_RESULTS),
    torch_format(
        "results, before 1.6", "res_DC_digits_ConvNet_2ipc.pt", RESULTS, legacy=True, share=2, meant=IN_RESULTS
    ),
    torch_format(
        "trajectory",
        "images_best.pt",
        IMAGES,
        others={"labels_best.pt": saved(ONE_HOT * 3), "lr_best.pt": saved(torch.tensor(0.02))},
        meant=OF_IMAGES,
    ),
    torch_format("trajectory's labels", "labels_best.pt", ONE_HOT * 3, others={"images_best.pt": saved(IMAGES)}),
    torch_format("trajectory's rate", "lr_best.pt", torch.tensor(0.02), others=RATE, meant=same_rate),
    torch_format(
        "chosen",
        "DIGITS_IPC2_labels.pt",
        LABELS.float(),
        others={"DIGITS_IPC2_images.pt": saved(IMAGES)},
        meant=OF_LABELS,
    ),
    torch_format("idc", "data_best.pt", (PIXELS, LABELS), meant=IN_PAIR),
    torch_format("pair", "mine.pt", (PIXELS.half(), ONE_HOT), meant=IN_PAIR),
    torch_format(
        "dd",
        "results.pth",
        [[IMAGES, LABELS, torch.tensor(0.1)], [IMAGES, LABELS, torch.tensor(0.2)]],
        meant=same_sets(lambda theirs: [theirs[-1][:2]]),
    ),
    torch_format("dictionary", "mine.pth", {"images": PIXELS, "labels": LABELS.tolist(), "note": "x"}, meant=NAMED),
    torch_format("pt", "X.pt", IMAGES, others={"y.pt": saved(LABELS)}, legacy=True, meant=OF_IMAGES),
    torch_format("checkpoint", "model.pth", network(), read=model("model.pth"), share=2, meant=same_weights),
    torch_format(
        "checkpoint, before 1.6",
        "model.pth",
        network(),
        read=model("model.pth"),
        legacy=True,
        share=2,
        meant=same_weights,
    ),
    torch_format("fkd", "epoch_0/batch_0.tar", batch(), read=recorded),
    pickle_format("idm", "acc_0.6.pkl", (IMAGES, LABELS), lambda theirs: [theirs[:2]]),
    pickle_format(
        "dictionary, pickled",
        "mine.pkl",
        {"x": PIXELS.numpy(), "y": LABELS.tolist()},
        lambda theirs: [(theirs["x"], theirs["y"])],
    ),
    npz_format("npz", "mine.npz", images=PIXELS.numpy(), labels=LABELS.numpy(), meant=NAMED),
    npz_format(
        "npz, packed",
        "mine.npz",
        np.savez_compressed,
        x=np.stack([PIXELS] * 2),
        y=np.stack([LABELS] * 2),
        meant=same_sets(lambda theirs: list(zip(theirs["x"], theirs["y"], strict=True))),
    ),
    npz_format(
        "kip",
        "kip_digits_ssize100_zca_ckpt10.npz",
        images=IMAGES.movedim(1, 3).numpy(),
        labels=ONE_HOT - 0.1,
        meant=NAMED,
    ),
    npy_format("npy", "images.npy", sets("images.npy"), same_sets(lambda theirs: [(theirs, LABELS)])),
    npy_format("npy of labels", "labels.npy", sets("images.npy"), same_sets(lambda theirs: [(PIXELS, theirs)])),
    npy_format("two files", "answers.npy", two_files, same_sets(lambda theirs: [(PIXELS, theirs)])),
]
