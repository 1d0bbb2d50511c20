"""The suites on the vectors that the project has: starts, verdicts, changes of VMs that run, and others."""

from __future__ import annotations

from importlib import import_module

import pytest

from tests.conformance.lines import VECTORS

#: Intended differences, by a part of the id or of the detail, with the reason.
DIFFERENT = (
    # An unknown field is an error here: the API server drops it silently.
    "unknown-field",
    # Recorded in a cluster with the gate HostDevices, which is not in the object.
    "hostDevices needs the feature gate HostDevices",
    # Recorded of what earlier versions wrote: the disk of a new volume is written now, and can be plugged in.
    "1.9/it/applied/large/scsi/vol.add.nodisk.hot/default",
    # Recorded of the function that makes the object. From 1.15 on the operator does not call it for the gate.
    "hco-148a8c4a804a: aaq",
)


@pytest.mark.parametrize(
    "suite", ["start", "verdicts", "entry-points", "impact", "hyperconverged", "vm-template"]
)
def test_result_matches_the_recording(suite: str) -> None:
    module = import_module(f"tests.conformance.{suite.replace('-', '_')}")
    results = list(module.run([VECTORS / f"{suite}.jsonl.xz"]))
    assert results
    failed = [f"{each.id}: {each.detail}" for each in results if not each.passed]
    assert [each for each in failed if not any(known in each for known in DIFFERENT)] == []
