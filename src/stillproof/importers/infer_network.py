"""Which network a checkpoint's weights belong to, told by their names and shapes."""

from __future__ import annotations

import re
from collections.abc import Mapping

from torch import Tensor

from stillproof.core.types import DataInfo
from stillproof.importers.checkpoint_weights import in_order
from stillproof.nets.alexnet import CONVOLUTIONS
from stillproof.nets.lenet import KERNEL, WIDTHS
from stillproof.nets.resnet import DEPTHS
from stillproof.nets.resnet_blocks import Bottleneck
from stillproof.nets.vgg import STAGES

BLOCK = re.compile(r"layer(\d)\.(\d+)\.conv1\.weight")
HIDDEN_LAYERS = 2  # of an MLP


def infer_network(weights: Mapping[str, Tensor], info: DataInfo) -> tuple[str, str]:
    """Return a network's reference, such as ``convnet:depth=3:width=128``, and what shapes cannot tell of it.

    Both are empty if it is no known network.
    """
    if any(BLOCK.fullmatch(name) for name in weights):
        return _resnet(weights)
    ordered = [weights[name] for name in in_order(weights) if name.endswith("weight")]
    convolutions = [tuple(weight.shape) for weight in ordered if weight.ndim == 4]
    linear = [tuple(weight.shape) for weight in ordered if weight.ndim == 2]
    if not convolutions:
        is_mlp = len(linear) == len(ordered) == HIDDEN_LAYERS + 1
        return (f"mlp:width={linear[0][0]}", "") if is_mlp else ("", "")
    widths, kernels = [shape[0] for shape in convolutions], [shape[2] for shape in convolutions]
    if widths == list(WIDTHS) and set(kernels) == {KERNEL}:
        return "lenet", ""
    if list(zip(widths, kernels, strict=True)) == [(width, kernel) for width, kernel, _ in CONVOLUTIONS]:
        return "alexnet", ""
    norm, unsure = _norm(weights, ordered)
    if widths == [width for stage in STAGES for width in stage] and norm in ("instance", "batch"):
        return f"vgg:norm={norm}", unsure
    if set(kernels) == {3} and len(set(widths)) == 1 and len(linear) == 1:
        return _convnet(widths, norm, unsure, linear[0], info)
    return "", ""


def _resnet(weights: Mapping[str, Tensor]) -> tuple[str, str]:
    found = [BLOCK.fullmatch(name) for name in weights]
    stages = [int(match[1]) for match in found if match]
    counts = tuple(stages.count(stage) for stage in (1, 2, 3, 4))
    is_bottleneck = "layer1.0.conv3.weight" in weights
    depth = [d for d, (block, blocks) in DEPTHS.items() if blocks == counts and (block is Bottleneck) == is_bottleneck]
    stem = weights.get("conv1.weight")
    if not depth or stem is None or stem.ndim != 4:
        return "", ""
    norm, unsure = _norm(weights, list(weights.values()))
    form = "imagenet" if stem.shape[2] == 7 else "small"
    return f"resnet:depth={depth[0]}:norm={norm}:stem={form}", unsure


def _norm(weights: Mapping[str, Tensor], ordered: list[Tensor]) -> tuple[str, str]:
    if any(name.endswith("running_mean") for name in weights):
        return "batch", ""
    if any(weight.ndim == 3 for weight in ordered):
        return "layer", ""
    if any(name.endswith("weight") and weight.ndim == 1 for name, weight in weights.items()):
        return "instance", "instance norm is assumed, whose weights look like those of other group norms"
    return "none", ""


def _convnet(widths: list[int], norm: str, unsure: str, classifier: tuple[int, ...], info: DataInfo) -> tuple[str, str]:
    unpooled = classifier[1] == widths[0] * info.size**2
    pooling = "none" if unpooled else "avg"
    assumed = ["ReLU" if unpooled else "ReLU and average pooling", *([unsure] if unsure else [])]
    said = f"{assumed[0]} assumed, which have no weights" + "".join(f"; {more}" for more in assumed[1:])
    return f"convnet:depth={len(widths)}:width={widths[0]}:norm={norm}:pooling={pooling}", said
