"""A training step towards a teacher's answers against the plain eager loop with a teacher."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from benchmarks.line import Line
from benchmarks.training import INFO, WARM_UP, plain_convnet
from benchmarks.turns import Turns
from stillproof.core.components import networks, recipes
from stillproof.core.context import Context
from stillproof.core.seeds import Seeds
from stillproof.core.types import Space
from stillproof.nets.build import build_network
from stillproof.nets.compiled import WORTH_COMPILING
from stillproof.train.loop import fit
from stillproof.train.model import TrainedModel
from stillproof.train.recipe import Recipe
from stillproof.train.teachers import Teacher, TeacherTargets
from stillproof.train.train_data import TrainData
from stillproof.transforms.space import make_front

TEMPERATURE = 20.0


def teaching_lines(images: int, passes: int) -> Iterator[Line]:
    """Train ConvNet-3 towards the answers of a ConvNet-3 with batch norms on ``images`` random images."""
    objective = f"kl(temperature={TEMPERATURE})"
    recipe: Recipe = recipes.build("dc-bench", {"epochs": WARM_UP + passes, "objective": objective})
    generator = torch.Generator().manual_seed(0)
    pixels = torch.randn(images, 3, 32, 32, generator=generator)
    turns = Turns(_plain_pass(plain_convnet(), plain_convnet(batch_norm=True), pixels, recipe), skip=WARM_UP)
    front = make_front(Space.normalised(INFO))
    bodies = [build_network(networks.build(name), INFO, Seeds(0), "cpu") for name in ("convnet-3", "convnet-3-bn")]
    student, teacher = (TrainedModel(front, body) for body in bodies)
    # So few passes would not repay compiling; say that they do, since real trainings are ten times longer.
    claimed = WORTH_COMPILING / images
    ctx = Context(seeds=Seeds(0), report=turns)
    source = TeacherTargets([Teacher(teacher, claimed)], front)
    data = TrainData(lambda index: pixels[index], torch.zeros(images, dtype=torch.long), INFO.num_classes, source)
    fit(student, data, recipe, ctx, flops=claimed)
    how = f"median of {passes} passes in turns, {torch.get_num_threads()} threads"
    if not (ctx.notes["compiled"] and ctx.notes["teachers"][0]["compiled"]):
        how += "; NOT COMPILED"
    name = f"ConvNet-3 with a teacher, {images} images"
    yield Line(f"{name}: step, times the eager loop's speed", turns.speed_up(), "x", how, "at least", 1.8)


def _plain_pass(net: nn.Module, teacher: nn.Module, pixels: Tensor, recipe: Recipe) -> Callable[[], None]:
    """Return one pass over the images, as the originals have it: all of a batch through the teacher, then a step."""
    optimiser = torch.optim.SGD(
        net.parameters(), lr=recipe.lr, momentum=recipe.momentum, weight_decay=recipe.weight_decay
    )
    teacher.eval()

    def one_pass() -> None:
        total = 0.0
        for index in torch.split(torch.randperm(len(pixels)), recipe.batch):
            with torch.no_grad():
                wanted = (teacher(pixels[index]) / TEMPERATURE).softmax(1)
            loss = F.kl_div((net(pixels[index]) / TEMPERATURE).log_softmax(1), wanted, reduction="batchmean")
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimiser.step()
            total += loss.item() * len(index)

    return one_pass
