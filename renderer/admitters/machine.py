"""The machine type (``validateEmulatedMachine``)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from renderer.admitters.cause import Causes, invalid
from renderer.admitters.cluster import Cluster
from renderer.admitters.vmi_spec import VmiSpec, section, text

_EMULATED = {
    "amd64": ("q35*", "pc-q35*"),
    "arm64": ("virt*",),
    "s390x": ("s390-ccw-virtio*",),
    "ppc64le": ("pseries*",),
}


def check_machine_type(vmi: VmiSpec, cluster: Cluster) -> Causes:
    machine = text(section(vmi.domain, "machine"), "type")
    if not machine:
        return
    patterns = emulated_machines(vmi.architecture, cluster)
    matches = _contains if cluster.behaviour.machines_are_regular_expressions else _matches
    if not any(matches(pattern, machine) for pattern in patterns):
        yield invalid(
            vmi.at("domain", "machine", "type"),
            f"the cluster does not emulate the machine type {machine}",
            f"of architecture {cluster.architecture(vmi.architecture)} it has {', '.join(patterns)}",
        )


def emulated_machines(architecture: str, cluster: Cluster) -> Sequence[str]:
    """Patterns of machine types (``GetEmulatedMachines``)."""
    if cluster.config.emulated_machines:
        return cluster.config.emulated_machines
    is_known = architecture != "ppc64le" or cluster.behaviour.knows_ppc64le
    known = architecture if architecture in _EMULATED and is_known else "amd64"
    return cluster.config.emulated_machines_of.get(known) or _EMULATED[known]


def _contains(pattern: str, name: str) -> bool:
    try:
        return re.search(pattern, name) is not None
    except re.error:
        return False


def _matches(pattern: str, name: str) -> bool:
    compiled = _compiled(pattern)
    return compiled is not None and compiled.fullmatch(name) is not None


@lru_cache(maxsize=64)
def _compiled(pattern: str) -> re.Pattern[str] | None:
    """A pattern of Go's ``filepath.Match``: ``*``, ``?`` and ``[classes]``; None for a malformed one."""
    try:
        return re.compile(
            re.sub(r"\\(.)|(\[\^?(?:\\.|[^\]\\])+\])|(.)", _translated, pattern, flags=re.DOTALL)
        )
    except re.error:
        return None


def _translated(match: re.Match[str]) -> str:
    escaped, characters, plain = match.groups()
    if characters:
        return str(characters).replace("[", r"\[").replace(r"\[", "[", 1)
    if plain in ("*", "?"):
        return "[^/]*" if plain == "*" else "[^/]"
    return re.escape(str(escaped or plain))
