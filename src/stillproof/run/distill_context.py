"""What a distiller runs in: seeds, space, front and network, from the spec of its cell."""

from __future__ import annotations

from stillproof.core.components import networks
from stillproof.core.context import Context
from stillproof.core.provenance import numerics
from stillproof.core.seeds import Seeds
from stillproof.core.spec import Json
from stillproof.core.types import Card, ImageSet, Space
from stillproof.nets.build import build_network, forward_flops
from stillproof.run.world import World
from stillproof.run.zca_cell import front_of
from stillproof.store.store import Store
from stillproof.transforms.front import Front


def make_context(cell_id: str, spec: Json, where: Json, world: World, data: ImageSet) -> Context:
    """Return the context that a distiller runs in; everything here decides its result."""
    device = world.options.device
    card = Card(
        method=spec["method"]["name"],
        version=spec["method"]["version"],
        params=spec["method"]["params"],
        dataset=where["dataset"],
        data_id=data.id,
        ipc=spec["ipc"],
        seed=spec["seed"],
        network=where["network"] if spec["network"] else "none",
        licence=data.info.licence,
        bytes=0,
    )
    space, front = _space(spec, world.store, data)
    ctx = Context(
        seeds=Seeds(spec["seed"]).child("distill", spec["method"]["name"]),
        device=device,
        card=card,
        space=space,
        front=front.to(device),
        scratch=world.store.scratch(cell_id),
        report=world.report,
        checkpoint_seconds=world.options.checkpoint_seconds,
        snapshot_steps=world.options.snapshot_steps,
        numerics=numerics(device),
    )
    if spec["network"]:
        network = networks.build(spec["network"]["name"], spec["network"]["params"])
        ctx.networks = lambda seeds: build_network(network, data.info, seeds, device)
        ctx.forward_flops = forward_flops(network, data.info.channels, data.info.size, data.num_classes)
    return ctx


def _space(spec: Json, store: Store, data: ImageSet) -> tuple[Space, Front]:
    """Return where the images live: whitened if the spec names a whitening, else normalised."""
    space = Space.normalised(data.info)
    if "zca" in spec:
        record = store.results.get(spec["zca"])
        assert record is not None and record.result is not None, "a cell runs only after those that it needs"
        space = Space("zca", ref=record.result["artifact"])
    return space, front_of(space, store)
