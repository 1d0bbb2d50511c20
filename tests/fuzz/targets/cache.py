"""Entries of the cache: what was damaged or put there by others counts for nothing, the rest is as it was."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import strategies as st

from renderer.cache.known_results import finding_from_json, finding_json
from renderer.cache.store import Store, clear
from renderer.findings.located import Located
from renderer.model.kube.json import Json
from tests.fuzz.mutation import VALUES
from tests.fuzz.target import Target
from tests.properties.test_reports import findings

_FOLDER = TemporaryDirectory()
_ROOT = Path(_FOLDER.name).resolve()
_STORE = Store(_ROOT / "ours", b"k" * 32)
_THEIRS = Store(_ROOT / "theirs", b"x" * 32)
_TEXTS = st.text(st.characters(exclude_categories=()), max_size=8)
_NAMES = st.lists(st.one_of(_TEXTS, st.sampled_from([value for value in VALUES if isinstance(value, str)])))


@st.composite
def _damages(draw: st.DrawFn) -> tuple[Sequence[str], Sequence[str], Sequence[Located], int, bytes]:
    """The names of two entries, the content of one, and the bytes written at an offset of it."""
    return (
        draw(_NAMES),
        draw(_NAMES),
        draw(st.lists(findings, max_size=2)),
        draw(st.integers(0, 400)),
        draw(st.binary(max_size=40)),
    )


def _check(damage: tuple[Sequence[str], Sequence[str], Sequence[Located], int, bytes]) -> None:
    name, other, found, place, damaging = damage
    clear(_ROOT / "ours")
    value: Json = [finding_json(each) for each in found]
    _STORE.put(value, *name)
    kept = _STORE.get(*name)
    assert kept == json.loads(json.dumps(value))
    assert isinstance(kept, list)
    assert [finding_from_json(each) for each in kept] == list(found)
    [entry] = _entries("ours")
    content = entry.read_bytes()
    for changed in (
        content[:place] + damaging + content[place + len(damaging) :],
        content[:place],
        content + damaging,
        damaging,
        _by_others(value, name),
    ):
        entry.write_bytes(changed)
        assert _STORE.get(*name) == (kept if changed == content else None)
    entry.write_bytes(content)
    _STORE.put("another", *other)
    for each in _entries("ours"):
        each.write_bytes(content)
    assert _STORE.get(*other) == (kept if "\0".join(name) == "\0".join(other) else None)


def _by_others(value: Json, name: Sequence[str]) -> bytes:
    """The entry as one makes it who does not have the key."""
    _THEIRS.put(value, *name)
    [entry] = _entries("theirs")
    content = entry.read_bytes()
    entry.unlink()
    return content


def _entries(folder: str) -> list[Path]:
    return [path for path in (_ROOT / folder).rglob("*") if path.is_file()]


TARGET = Target(_damages(), _check, folders=(str(_ROOT),))
