"""A machine starts or is refused, whatever the types of its fields are.

`diff`, `diff --live` and `import --fit` ask what KubeVirt starts of machines that a schema has refused, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import yaml

from renderer.kubevirt.facts.cluster import Cluster
from renderer.kubevirt.instancetype.catalog import Catalog
from renderer.kubevirt.instancetype.cause import CauseError
from renderer.kubevirt.instancetype.stored_vm import start
from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource
from renderer.model.release import LATEST

MACHINE = Path(__file__).parents[3] / "data" / "machine.yaml"


def places(part: Any) -> Iterator[tuple[Any, Any]]:  # noqa: ANN401 - part of an object
    """Yield each mapping and list below ``part`` with each of its keys or indices."""
    for key, child in list(part.items() if isinstance(part, dict) else enumerate(part)):
        yield part, key
        if isinstance(child, (dict, list)):
            yield from places(child)


@pytest.mark.parametrize("value", ["x", ["x"], {"a": "b"}], ids=str)
def test_machine_with_a_field_of_another_type(value: object) -> None:
    machine = yaml.safe_load(MACHINE.read_text(encoding="utf-8"))
    for parent, key in places(machine["spec"]):
        written, parent[key] = parent[key], value
        with suppress(CauseError, DiagnosticError):
            start(Resource(machine, Site("vm.yaml")), Catalog(), Cluster(LATEST))
        parent[key] = written
