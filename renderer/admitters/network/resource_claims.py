"""Networks that DRA allocates (``dra.go``)."""

from __future__ import annotations

from renderer.admitters.cause import Cause, Causes, CauseType, duplicate, invalid, required
from renderer.admitters.cluster import Cluster
from renderer.admitters.feature_gates import Gate, needs_gate
from renderer.admitters.vmi_spec import VmiSpec, elements, has, section, text
from renderer.model.field_path import FieldPath


def check_claimed_networks(vmi: VmiSpec, cluster: Cluster) -> Causes:
    claimed = [index for index, network in enumerate(vmi.networks) if has(network, "resourceClaim")]
    if not claimed:
        return
    at = vmi.at("networks")
    if Gate.NETWORK_DEVICES_WITH_DRA not in cluster.gates:
        yield needs_gate(at, "a network with a resourceClaim", Gate.NETWORK_DEVICES_WITH_DRA)
        return
    if any(has(network, "multus") for network in vmi.networks):
        yield invalid(at, "networks with a resourceClaim cannot stand beside multus networks")
        return
    seen: set[tuple[str, str]] = set()
    for index in claimed:
        yield from _check_binding(vmi, text(vmi.networks[index], "name"))
        claim = section(vmi.networks[index], "resourceClaim")
        names = (text(claim, "claimName"), text(claim, "requestName"))
        yield from _check_names(at.child(index, "resourceClaim"), names)
        if not all(names):
            continue
        if names[0] not in {text(known, "name") for known in elements(vmi.content, "resourceClaims")}:
            message = f"the claim {names[0]} is not among {vmi.at('resourceClaims')}"
            yield Cause(CauseType.NOT_FOUND, at.child(index, "resourceClaim", "claimName"), message)
        if names in seen:
            yield duplicate(at.child(index), f"two networks have the claim and request {'/'.join(names)}")
        seen.add(names)


def network_claims(vmi: VmiSpec) -> dict[str, int]:
    """The first network of each complete claim and request (``ExtractDRANetworkClaimRequestTuples``)."""
    first: dict[str, int] = {}
    for index, network in enumerate(vmi.networks):
        claim = section(network, "resourceClaim")
        names = (text(claim, "claimName"), text(claim, "requestName"))
        if all(names):
            first.setdefault("/".join(names), index)
    return first


def _check_binding(vmi: VmiSpec, name: str) -> Causes:
    for index, interface in enumerate(vmi.interfaces):
        if text(interface, "name") == name:
            if not has(interface, "sriov") and not has(interface, "binding"):
                yield invalid(
                    vmi.device("interfaces", index),
                    f"the network {name} has a resourceClaim; its interface needs sriov or a binding plugin",
                    reported=vmi.device("interfaces"),
                )
            return


def _check_names(at: FieldPath, names: tuple[str, str]) -> Causes:
    for key, name in zip(("claimName", "requestName"), names, strict=True):
        if not name:
            yield required(at.child(key), f"a resourceClaim needs {key}")
