"""Output of kustomize is unchanged by decoding and encoding."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from renderer.yamlio.decode import decode_documents
from renderer.yamlio.encode import encode

SHARED = Path(__file__).parents[4] / "shared"

pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason="the shared vectors are not here")


def outputs() -> Iterator[tuple[str, str]]:
    for file in sorted((SHARED / "conformance" / "kustomize").glob("*.jsonl")):
        for line in file.read_text().rstrip("\n").split("\n"):
            case = json.loads(line)
            expected = case["expect"] or {}
            for name in ("stdout", "stdout_reorder_none"):
                if expected.get(name):
                    yield case["id"], expected[name]


def test_outputs_of_the_conformance_cases_are_reproduced() -> None:
    cases = list(outputs())

    different = [name for name, text in cases if encode(decode_documents(text.encode(), name)) != text]

    assert len(cases) > 200
    assert different == []


@pytest.mark.parametrize(
    "file", sorted((SHARED / "catalogs").glob("*.expected.yaml")), ids=lambda file: file.name
)
def test_catalogs_are_reproduced(file: Path) -> None:
    content = file.read_bytes()

    assert encode(decode_documents(content, file.name)).encode() == content
