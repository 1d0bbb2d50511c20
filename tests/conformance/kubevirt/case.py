"""One line of a file of vectors."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from renderer.model.kube.json import Json, JsonObject, object_at, text_at
from renderer.model.release import LATEST, Release
from tests.conformance.lines import read_lines

#: What computes each field of a case's output, by the field's name.
Outputs: TypeAlias = Mapping[str, Callable[[], Json]]


@dataclass(frozen=True, slots=True)
class Case:
    """An input and what KubeVirt made of it. ``catalog`` is the file that ``catalog: true`` means."""

    id: str
    group: str
    mode: str
    input: JsonObject
    output: JsonObject
    target: Release
    release: str | None
    catalog: Path


def read_cases(path: Path) -> Iterator[Case]:
    """The cases of one file."""
    catalog = sibling_catalog(path)
    for line in read_lines(path):
        yield _case(json.loads(line), catalog)


def _case(content: JsonObject, catalog: Path) -> Case:
    release = text_at(content, "release") or None
    return Case(
        id=text_at(content, "id"),
        group=text_at(content, "group"),
        mode=text_at(content, "mode"),
        input=object_at(content, "input"),
        output=object_at(content, "output"),
        target=Release.parse(release) if release else LATEST,
        release=release,
        catalog=catalog,
    )


def sibling_catalog(path: Path) -> Path:
    """In the file's own folder, else in the sibling folder ``kubevirt``."""
    own = path.parent / "catalog.yaml"
    return own if own.exists() else path.parent.parent / "kubevirt" / "catalog.yaml"
