"""What BEARD calls data sets, networks and attacks, and what they are called here."""

from __future__ import annotations

from collections.abc import Mapping

from stillproof.core.errors import UnknownName

DATASETS = {
    "CIFAR10": "cifar10",
    "CIFAR100": "cifar100",
    "TinyImageNet": "tiny_imagenet",
    "MNIST": "mnist",
    "FashionMNIST": "fashion_mnist",
    "SVHN": "svhn",
}
NETWORKS = {
    "ConvNet": "convnet-3",
    "ConvNet_4": "convnet-4",
    "ConvNet_5": "convnet-5",
    "ConvNet_BN": "convnet-3-bn",
    "ConvNet_FullyConv": "convnet-3:pooling=none",
    **{f"ConvNetD{depth}": f"convnet-{depth}" for depth in (1, 2, 3, 4)},
    **{f"ConvNetW{width}": f"convnet-3:width={width}" for width in (32, 64, 128, 256)},
    "ConvNetAS": "convnet-3:activation=sigmoid",
    "ConvNetAR": "convnet-3",
    "ConvNetAL": "convnet-3:activation=leaky-relu",
    "ConvNetASwish": "convnet-3:activation=swish",
    "ConvNetASwishBN": "convnet-3-bn:activation=swish",
    "ConvNetNN": "convnet-3:norm=none",
    "ConvNetBN": "convnet-3-bn",
    "ConvNetLN": "convnet-3:norm=layer",
    "ConvNetIN": "convnet-3",
    "ConvNetGN": "convnet-3:norm=group",
    "ConvNetNP": "convnet-3:pooling=none",
    "ConvNetMP": "convnet-3:pooling=max",
    "ConvNetAP": "convnet-3",
    "MLP": "mlp",
    "LeNet": "lenet",
    "AlexNet": "alexnet",
    "VGG11": "vgg-11",
    "VGG11BN": "vgg-11-bn",
    "ResNet18": "resnet-18",
    "ResNet18BN": "resnet-18-bn",
}
SIZES = (2, 4, 6, 8, 10)
ATTACKS = {
    "Clean": "none",
    "FGSM": "fgsm",
    "PGD": "pgd",
    "PGD_L2": "pgd-l2",
    "Deepfool": "deepfool",
    "CW": "cw",
    "AA": "autoattack",
    "Square": "square",
    "SPSA": "spsa",
    "PGD_e510": "pgd:eps=0.15",
    **{f"PGD_e{size}": f"pgd:eps={size}/255" for size in SIZES},
    **{f"PGD_s{size}": f"pgd:steps={size}" for size in SIZES},
}
CLEAN = "Clean"
# Have no targeted form there: the line of a log repeats the clean accuracy.
UNTARGETED_ONLY = frozenset({"Deepfool", "AA", "TPGD"})


def cannot_aim(attack: str) -> bool:
    """Say whether an attack, by its name there, has no targeted form there."""
    return attack.lower() in {name.lower() for name in UNTARGETED_ONLY}


def known(kind: str, name: str, names: Mapping[str, str]) -> str:
    """Return what ``name`` is called here; letters may be large or small, as in BEARD's own files.

    Raises:
        UnknownName: There is nothing like it.
    """
    found = {theirs.lower(): ours for theirs, ours in names.items()}.get(name.lower())
    if found is None:
        raise UnknownName(kind, name, names, of="BEARD")
    return found
