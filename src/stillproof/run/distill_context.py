"""What a distiller runs in: seeds, space, front and network, from the spec of its cell."""

from __future__ import annotations

from stillproof.core.components import networks
from stillproof.core.context import Context
from stillproof.core.seeds import Seeds
from stillproof.core.spec import Json
from stillproof.core.types import Card, ImageSet, Space
from stillproof.nets.build import build_network, forward_flops
from stillproof.run.expert_cell import Experts
from stillproof.run.world import World, context_of
from stillproof.run.zca_cell import whitened
from stillproof.sets.fronts import front_of


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
    # Whitened if the spec names a whitening.
    space = whitened(spec["zca"], world.store) if "zca" in spec else Space.normalised(data.info)
    ctx = context_of(cell_id, Seeds(spec["seed"]).child("distill", spec["method"]["name"]), world)
    ctx.card, ctx.space, ctx.front = card, space, front_of(space, world.store).to(device)
    ctx.experts = Experts(spec.get("experts", ()), world.store)
    ctx.snapshot_steps = world.options.snapshot_steps | set(spec.get("snapshots", ()))
    if spec["network"]:
        network = networks.build(spec["network"]["name"], spec["network"]["params"])
        ctx.networks = lambda seeds: build_network(network, data.info, seeds, device)
        ctx.forward_flops = forward_flops(network, data.info.channels, data.info.size, data.num_classes)
    return ctx
