"""``python -m tests.releases [--write] [RELEASE]``: lists the rows that apply to a release, or all rows.

Each of all rows has the first release that it applies to and the first that it no longer applies to.
``--write`` writes them into ``rows.txt``, which a test compares: the review of a new KubeVirt release is the
diff of that file. A release that no row names behaves like the newest before it.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from functools import partial
from itertools import pairwise
from pathlib import Path

from renderer.kubevirt.admission.boot_order import DISK_VOLUME_CHECKS
from renderer.kubevirt.admission.check_table import Check, CheckTable
from renderer.kubevirt.admission.cpu import DEDICATED_CPU_CHECKS
from renderer.kubevirt.admission.deprecations import CONFIGURATION_WARNINGS, INSTANCE_WARNINGS
from renderer.kubevirt.admission.disks import DISK_CHECKS
from renderer.kubevirt.admission.kinds import CHECKS_OF_KINDS
from renderer.kubevirt.admission.metadata import METADATA_CHECKS
from renderer.kubevirt.admission.network.bindings import BINDING_CHECKS
from renderer.kubevirt.admission.network.interfaces import INTERFACE_CHECKS
from renderer.kubevirt.admission.network.networks import NETWORK_CHECKS
from renderer.kubevirt.admission.vm import CREATION_CHECKS, VM_CHECKS
from renderer.kubevirt.admission.vmi import VMI_CHECKS
from renderer.kubevirt.admission.vmi_checks import SPEC_CHECKS
from renderer.kubevirt.admission.volumes import VOLUME_CHECKS
from renderer.kubevirt.facts.feature_gates import Gate, is_on_by_default, state_of
from renderer.kubevirt.instancetype.behaviour import Behaviour, behaviour_of
from renderer.model.release import NEWEST_PATCHES, UNRELEASED, Release
from renderer.model.text_enum import TextEnum

ROWS = Path(__file__).with_name("rows.txt")
#: All releases, and the next one as it was read.
RELEASES = [
    *(Release(*minor, patch) for minor, newest in NEWEST_PATCHES.items() for patch in range(newest + 1)),
    *(Release(*minor) for minor in UNRELEASED),
]
TABLES: dict[str, CheckTable[...]] = {
    "VirtualMachine, first": CREATION_CHECKS,
    "VirtualMachine, metadata": METADATA_CHECKS,
    "VirtualMachine, template": SPEC_CHECKS,
    "a disk and its volume": DISK_VOLUME_CHECKS,
    "a disk": DISK_CHECKS,
    "a volume": VOLUME_CHECKS,
    "networks": NETWORK_CHECKS,
    "a binding": BINDING_CHECKS,
    "an interface": INTERFACE_CHECKS,
    "dedicated CPUs": DEDICATED_CPU_CHECKS,
    "VirtualMachine, last": VM_CHECKS,
    "VirtualMachineInstance": VMI_CHECKS,
    **CHECKS_OF_KINDS,
    "warnings": INSTANCE_WARNINGS,
    "warnings, KubeVirt": CONFIGURATION_WARNINGS,
}


def rows(only: Release | None = None) -> Iterator[str]:
    """Yield the lines of the list; with ``only`` the ones that apply to that release."""
    for title, table in TABLES.items():
        yield f"admission: {title}"
        yield from _checks(table, only)
    yield "expansion"
    yield from _behaviour(only)
    yield "feature gates"
    yield from _gates(only)


def _checks(table: CheckTable[...], only: Release | None) -> Iterator[str]:
    for check in table.checks:
        if only is None or check.is_made_by(only):
            yield f"  {_range(check):<10} {name_of(check.run)}  {check.upstream}"


def _range(check: Check[...]) -> str:
    since, until = (" ".join(each.as_bound for each in bounds) for bounds in (check.since, check.until))
    return f"{since}..{until}" if since or until else "all"


def name_of(run: object) -> str:
    """Return the name of a check, with the arguments that are fixed in its row."""
    run = getattr(run, "__wrapped__", run)
    if isinstance(run, partial):
        fixed = [
            *map(_shown, run.args),
            *(f"{key}={_shown(run.keywords[key])}" for key in sorted(run.keywords)),
        ]
        return f"{name_of(run.func)}({', '.join(fixed)})"
    return getattr(run, "__name__", repr(run))


def _shown(value: object) -> str:
    if isinstance(value, Enum | TextEnum):
        return str(value.value)
    if isinstance(value, Callable):  # type: ignore[arg-type] # isinstance takes the protocol
        return name_of(value)
    return repr(value)


def _behaviour(only: Release | None) -> Iterator[str]:
    """Yield each row of the instance types' behaviour, with the releases in which it changes."""
    for row in (name for name, value in vars(Behaviour).items() if isinstance(value, property)):
        values = {release: getattr(behaviour_of(release), row) for release in RELEASES}
        changes = [
            release.as_bound for before, release in pairwise(RELEASES) if values[before] != values[release]
        ]
        if only is None:
            yield f"  {', '.join(changes):<10} {row}"
        elif isinstance(getattr(behaviour_of(only), row), bool):
            yield f"  {'yes' if getattr(behaviour_of(only), row) else 'no':<10} {row}"


def _gates(only: Release | None) -> Iterator[str]:
    for gate in sorted(Gate):
        releases = RELEASES if only is None else [only]
        states = {release: _state(gate, release) for release in releases}
        changes = [
            f"{release.as_bound} {state}"
            for at, (release, state) in enumerate(states.items())
            if state != "unknown" and (at == 0 or state != [*states.values()][at - 1])
        ]
        if changes:
            yield f"  {gate}: {', '.join(changes)}"


def _state(gate: Gate, release: Release) -> str:
    state = state_of(gate, release)
    if state is None:
        return "unknown"
    return f"{state.name.lower()}{', on' if is_on_by_default(gate, release) else ''}"


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.releases", description=__doc__)
    parser.add_argument("release", nargs="?", type=Release.parse, metavar="RELEASE")
    parser.add_argument("--write", action="store_true", help=f"write {ROWS.name}")
    options = parser.parse_args(arguments)
    text = "".join(f"{row.rstrip()}\n" for row in rows(options.release))
    if options.write:
        ROWS.write_text("".join(f"{row.rstrip()}\n" for row in rows()), encoding="utf-8")
    else:
        sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
