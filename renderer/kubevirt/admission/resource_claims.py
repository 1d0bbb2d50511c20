"""GPUs, host devices and networks that DRA allocates through claims (KubeVirt ``pkg/dra/admitter``)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from renderer.kubevirt.admission.causes import (
    Cause,
    Causes,
    CauseType,
    duplicate,
    invalid,
    needs_gate,
    required,
)
from renderer.kubevirt.admission.check_table import Check, row
from renderer.kubevirt.admission.vmi_spec import VmiSpec, elements, has, section, text
from renderer.kubevirt.facts.cluster import Cluster
from renderer.kubevirt.facts.feature_gates import Gate
from renderer.kubevirt.facts.kubernetes_names import dns_label_errors, dns_subdomain_errors
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import JsonObject
from renderer.model.record import Record

_CLAIM_SOURCES = ("resourceClaimName", "resourceClaimTemplateName")


class _Kind(Record):
    """A kind of device; either all GPUs use claims or none."""

    key: str
    name: str
    gate: Gate
    all_or_none: bool


_KINDS_1_8_0 = (
    _Kind("gpus", "GPU", Gate.GPUS_WITH_DRA, all_or_none=False),
    _Kind("hostDevices", "host device", Gate.HOST_DEVICES_WITH_DRA, all_or_none=False),
)
_KINDS = (
    _Kind("gpus", "GPU", Gate.GPUS_WITH_DRA, all_or_none=True),
    _Kind("hostDevices", "host device", Gate.HOST_DEVICES_WITH_DRA, all_or_none=False),
)
_CLAIMING = ("gpus", "hostDevices", "resourceClaims")


def check_claimed_networks(vmi: VmiSpec, cluster: Cluster) -> Causes:
    """Check networks of resource claims: the gate, the claim, the binding."""
    claimed = [index for index, network in enumerate(vmi.networks) if has(network, "resourceClaim")]
    if not claimed:
        return
    at = vmi.at("networks")
    if Gate.NETWORK_DEVICES_WITH_DRA not in cluster.gates:
        yield needs_gate(at, "a network with a resourceClaim", Gate.NETWORK_DEVICES_WITH_DRA)
        return
    if any(has(network, "multus") for network in vmi.networks):
        yield invalid(at, "networks with a resourceClaim cannot be combined with multus networks")
        return
    seen: set[tuple[str, str]] = set()
    for index in claimed:
        yield from _check_binding(vmi, text(vmi.networks[index], "name"))
        claim = section(vmi.networks[index], "resourceClaim")
        names = (text(claim, "claimName"), text(claim, "requestName"))
        for key, name in zip(("claimName", "requestName"), names, strict=True):
            if not name:
                yield required(at.child(index, "resourceClaim", key), f"a resourceClaim needs {key}")
        if not all(names):
            continue
        if names[0] not in {text(known, "name") for known in elements(vmi.content, "resourceClaims")}:
            message = f"the claim {names[0]} is not among {vmi.at('resourceClaims')}"
            yield Cause(CauseType.NOT_FOUND, at.child(index, "resourceClaim", "claimName"), message)
        if names in seen:
            yield duplicate(at.child(index), f"two networks have the claim and request {'/'.join(names)}")
        seen.add(names)


def network_claims(vmi: VmiSpec) -> dict[str, int]:
    """Return the first network's index by complete pair (``ExtractDRANetworkClaimRequestTuples``)."""
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


def check_claimed_gpus(vmi: VmiSpec, cluster: Cluster) -> Causes:
    """Check GPUs like 1.6 and 1.7, which report most problems at a field that does not exist."""
    gpus = [(index, gpu) for index, gpu in enumerate(elements(vmi.devices, "gpus"))]
    at, reported = vmi.device("gpus"), vmi.at("spec", "domain", "devices", "gpus")
    claimed = [(index, gpu) for index, gpu in gpus if not text(gpu, "deviceName") and _claims(gpu)]
    for index, gpu in gpus:
        if (index, gpu) in claimed:
            continue
        if not text(gpu, "deviceName"):
            message = "the GPU has neither deviceName nor claimName and requestName"
            yield invalid(at.child(index, "deviceName"), message, reported=reported)
            return
        if _claims(gpu):
            message = "the GPU has both a deviceName and a claim"
            yield invalid(at.child(index), message, "keep one of them", reported=reported)
    if claimed and Gate.GPUS_WITH_DRA not in cluster.gates:
        yield needs_gate(at, "a GPU with a claim", Gate.GPUS_WITH_DRA, reported=reported)
        return
    for index, gpu in claimed:
        if not has(gpu, "claimName"):
            message = "the GPU has a requestName and no claimName, on which KubeVirt itself crashes"
            yield required(at.child(index, "claimName"), message)
            return
    yield from _check_claims_exist(vmi, {text(gpu, "claimName") for _, gpu in claimed})


def check_claimed_devices_apart(vmi: VmiSpec, cluster: Cluster) -> Causes:
    """Check GPUs and host devices like 1.8.0 to 1.8.2: both may use the same claim and request."""
    used: set[str] = set()
    for kind in _KINDS_1_8_0:
        causes, first = _check_devices(vmi, kind, cluster, has)
        yield from causes
        used |= {pair.partition("/")[0] for pair in first}
    yield from _check_claims_exist(vmi, used)


def check_claimed_devices(
    vmi: VmiSpec, cluster: Cluster, *, with_networks: bool, has_pointers: bool
) -> Causes:
    """Check GPUs and host devices, and that no two of them, nor one and a network, use the same claim.

    ``has_pointers``: an empty ``claimName`` or ``requestName`` counts. Otherwise the mutating webhook has
    dropped it, because it rewrites the whole machine.
    """
    used: set[str] = set()
    owners: dict[str, str] = {}
    duplicates: list[Cause] = []
    for kind in _KINDS:
        causes, first = _check_devices(vmi, kind, cluster, has if has_pointers else text)
        yield from causes
        used |= {pair.partition("/")[0] for pair in first}
        duplicates += _check_shared(vmi.device(kind.key), first, owners)
    if with_networks and Gate.NETWORK_DEVICES_WITH_DRA in cluster.gates:
        duplicates += _check_shared(vmi.at("networks"), network_claims(vmi), owners)
    yield from duplicates
    yield from _check_claims_exist(vmi, used)


def _check_claims_exist(vmi: VmiSpec, used: set[str]) -> Causes:
    missing = used - {text(claim, "name") for claim in elements(vmi.content, "resourceClaims")}
    if missing:
        at = vmi.at("resourceClaims")
        yield invalid(at, f"devices use claims that do not exist: {', '.join(sorted(missing))}")


def check_claim_names(vmi: VmiSpec, _: Cluster) -> Causes:
    """Reject a second claim of the same name."""
    names: set[str] = set()
    for index, claim in enumerate(elements(vmi.content, "resourceClaims")):
        name = text(claim, "name")
        if name in names:
            at = vmi.at("resourceClaims", index, "name")
            yield duplicate(at, f"two claims are called {name}")
        names.add(name)


def check_claims(vmi: VmiSpec, _: Cluster) -> Causes:
    """Check the names and sources of claims."""
    names: set[str] = set()
    for index, claim in enumerate(elements(vmi.content, "resourceClaims")):
        at = vmi.at("resourceClaims", index)
        name = text(claim, "name")
        errors = dns_label_errors(name) if name else []
        if not name:
            yield required(at.child("name"), "the claim has no name")
        elif name in names:
            yield duplicate(at.child("name"), f"two claims are called {name}")
        elif errors:
            yield invalid(at.child("name"), f"the claim's name {name!r} {' and '.join(errors)}")
        names.add(name)
        yield from _check_claim_source(at, claim)


def _check_claim_source(at: FieldPath, claim: JsonObject) -> Causes:
    sources = [source for source in _CLAIM_SOURCES if has(claim, source)]
    if len(sources) != 1:
        problem = "both" if sources else "neither"
        yield invalid(at, f"the claim has {problem} of {' and '.join(_CLAIM_SOURCES)}; it needs one")
    for source in sources:
        for error in dns_subdomain_errors(text(claim, source)):
            yield invalid(at.child(source), f"{source} {error}")


def _check_devices(
    vmi: VmiSpec, kind: _Kind, cluster: Cluster, is_given: Callable[[JsonObject, str], object]
) -> tuple[list[Cause], dict[str, int]]:
    """Return the causes, and the first device of each complete claim and request."""
    at = vmi.device(kind.key)
    devices = list(enumerate(elements(vmi.devices, kind.key)))
    if not devices:
        return [], {}
    claiming = {
        index for index, device in devices if is_given(device, "claimName") or is_given(device, "requestName")
    }
    claimed = [pair for pair in devices if pair[0] in claiming and not text(pair[1], "deviceName")]
    others = [pair for pair in devices if pair not in claimed]
    if kind.all_or_none and claimed and others:
        return [invalid(at, f"some {kind.name}s use claims and some names; use one way for all of them")], {}
    causes = [
        cause
        for index, device in others
        for cause in _check_named(at.child(index), device, kind, claims=index in claiming)
    ]
    if claimed and kind.gate not in cluster.gates:
        return [*causes, needs_gate(at, f"a {kind.name} with a claim", kind.gate)], {}
    first: dict[str, int] = {}
    for index, device in claimed:
        causes += _check_claimed(at.child(index), device, index, kind, first)
    return causes, first


def _claims(device: JsonObject) -> bool:
    return has(device, "claimName") or has(device, "requestName")


def _check_named(at: FieldPath, device: JsonObject, kind: _Kind, *, claims: bool) -> Causes:
    if not text(device, "deviceName"):
        message = f"the {kind.name} has neither deviceName nor claimName and requestName"
        yield required(at.child("deviceName"), message, reported=at.parent)
    elif claims:
        message = f"the {kind.name} has both a deviceName and a claim"
        yield invalid(at, message, "keep one of them", reported=at.parent)


def _check_claimed(
    at: FieldPath, device: JsonObject, index: int, kind: _Kind, first: dict[str, int]
) -> Causes:
    names = {key: text(device, key) for key in ("claimName", "requestName")}
    for key, name in names.items():
        if not name:
            yield required(at.child(key), f"a claimed {kind.name} needs {key}")
    if not all(names.values()):
        return
    pair = "/".join(names.values())
    if pair in first:
        yield duplicate(at, f"two {kind.name}s have the claim and request {pair}")
    first.setdefault(pair, index)


def _check_shared(at: FieldPath, first: dict[str, int], owners: dict[str, str]) -> list[Cause]:
    """Reject pairs that devices of another kind also use."""
    causes = []
    for pair, index in first.items():
        owner = owners.setdefault(pair, str(at.child(index)))
        if owner != str(at.child(index)):
            causes.append(duplicate(at.child(index), f"{owner} also uses the claim and request {pair}"))
    return causes


#: ``pkg/dra/admitter``
CLAIM_CHECKS: tuple[Check[[VmiSpec, Cluster]], ...] = (
    row(check_claimed_gpus, "gpus", upstream="dra_admitter.go validateCreationDRA", since="1.6", until="1.8"),
    row(
        check_claim_names,
        "resourceClaims",
        upstream="x-kubernetes-list-map-keys of the CRD; dra_admitter.go validateCreationDRA from 1.8 on",
        since="1.6",
        until="1.9",
    ),
    row(check_claims, "resourceClaims", upstream="dra_admitter.go validateResourceClaims", since="1.9"),
    row(
        check_claimed_devices_apart,
        *_CLAIMING,
        upstream="dra_admitter.go validateCreationDRA",
        since="1.8",
        until="1.8.3",
    ),
    row(
        partial(check_claimed_devices, with_networks=False, has_pointers=True),
        *_CLAIMING,
        upstream="dra_admitter.go validateDRADevices",
        since="1.8.3",
        until="1.9",
    ),
    row(
        partial(check_claimed_devices, with_networks=True, has_pointers=False),
        *_CLAIMING,
        upstream="dra_admitter.go validateDRADevices",
        since="1.9",
    ),
)
