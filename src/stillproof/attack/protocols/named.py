"""The protocol of attacks that a name means."""

from __future__ import annotations

from stillproof.attack.protocols.beard import BEARD
from stillproof.attack.protocols.fair import FAIR, AttackProtocol
from stillproof.attack.protocols.mad import MAD
from stillproof.core.protocol import protocol_meant

PROTOCOLS: tuple[AttackProtocol, ...] = (FAIR, BEARD, MAD)


def attack_protocol(name: str) -> AttackProtocol:
    """Return the protocol of a name, such as ``fair``, ``faithful`` or ``faithful:beard``.

    Raises:
        UnknownName: Attacks have none of that name.
    """
    return protocol_meant(name, PROTOCOLS)
