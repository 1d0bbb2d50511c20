"""Input of ``vmrender import``: the dump of a cluster, in YAML and JSON."""

from __future__ import annotations

import json
from io import BytesIO
from typing import BinaryIO

import yaml
from hypothesis import strategies as st

from renderer.adopt.dump.credentials import withhold
from renderer.adopt.dump.gather import gather
from renderer.adopt.dump.read import read_dump
from renderer.emit.layout import file_paths
from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource
from renderer.model.record import Record
from renderer.model.render_config import PER_RESOURCE
from renderer.yamlio.encode import encode
from tests.fuzz.mutation import mutated_file, project
from tests.fuzz.target import SEEDS, Target

_YAML = tuple(project(SEEDS / "dump").values())
_JSON = tuple(json.dumps(yaml.safe_load(each), indent=1).encode() for each in _YAML)


class _InMemory(Record):
    content: bytes
    path: str = "dump"
    is_named: bool = True

    def open(self) -> BinaryIO:
        return BytesIO(self.content)


def _check(content: bytes) -> None:
    try:
        gathered = gather(read_dump([_InMemory(content)]))
        written = [
            stored
            for each in gathered.objects
            for withheld in (withhold(each.content),)
            for stored in (withheld.content, *(to_seal.content for to_seal in withheld.placeholders))
            if stored is not None
        ]
        paths = file_paths([Resource(each, Site("")) for each in written], PER_RESOURCE)
        encode(written)
    except DiagnosticError:
        return
    assert not any(".." in path.split("/") or path.startswith("/") for path in paths)
    assert len({path.lower() for path in paths}) == len(paths)


TARGET = Target(st.sampled_from(_YAML + _JSON).flatmap(mutated_file), _check)
