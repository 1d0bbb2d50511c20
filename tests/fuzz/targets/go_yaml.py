"""A resource is read as by go-yaml in ``kubectl kustomize``."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import strategies as st

from renderer.files.file_system import MemoryFileSystem
from renderer.kustomize.compose import BuildOptions
from renderer.kustomize.reader.find_kustomization import LoadRestrictor
from tests.conformance.build import build
from tests.fuzz.mutation import TOKENS, VALUES
from tests.fuzz.target import SEEDS, Target

_FILES = {"kustomization.yaml": b"resources: [a.yaml]\n"}
_HEAD = "apiVersion: v1\nkind: A\nmetadata:\n  name: a\nvalue:\n"
_FOLDER = TemporaryDirectory()

_WORDS, _KEYS = (
    json.loads((SEEDS / "go_yaml" / name).read_text(encoding="utf-8"))
    for name in ("values.json", "keys.json")
)
_CHARACTERS = st.characters(exclude_categories=["Cs"])
_SCALARS = st.one_of(
    st.sampled_from(_WORDS),
    st.integers(-(10**25), 10**25).map(str),
    st.floats().map(repr),
    st.from_regex(r"[-+.0-9_:eExobaf]{1,10}", fullmatch=True),
    st.text(_CHARACTERS, max_size=6),
    st.sampled_from([value for value in VALUES if isinstance(value, str)]),
)


def _indented(text: str) -> str:
    return text.replace("\n", "\n  ")


_ITEMS = st.recursive(
    _SCALARS,
    lambda children: st.one_of(
        st.lists(children, min_size=1, max_size=4).map(
            lambda items: "".join(f"\n- {_indented(item)}" for item in items)
        ),
        st.lists(st.tuples(st.sampled_from(_KEYS), children), min_size=1, max_size=4).map(
            lambda pairs: "".join(f"\n{key}: {_indented(value)}" for key, value in pairs)
        ),
    ),
    max_leaves=8,
)
_TEXTS = st.one_of(_ITEMS, _ITEMS, st.lists(st.sampled_from(TOKENS), max_size=12).map("".join))


def _check(text: str) -> None:
    document = (_HEAD + "  " + _indented(text) + "\n").encode("utf-8", "surrogatepass")
    built = build(
        MemoryFileSystem({**_FILES, "a.yaml": document}), ".", LoadRestrictor.ROOT_ONLY, BuildOptions()
    )
    assert (built.stdout, document) == (_kustomized(document), document), built.actual


def _kustomized(document: bytes) -> str | None:
    """None where it is refused."""
    for name, content in {**_FILES, "a.yaml": document}.items():
        Path(_FOLDER.name, name).write_bytes(content)
    command = ["kubectl", "kustomize", _FOLDER.name]
    run = subprocess.run(command, capture_output=True, check=False, timeout=60)
    return run.stdout.decode() if run.returncode == 0 else None


TARGET = Target(_TEXTS, _check, program="kubectl")
