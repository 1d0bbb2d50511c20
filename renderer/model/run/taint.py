"""The confidential values of this run, which no output may repeat, recorded where they enter.

They are values of Secrets that are not from a Secret among the resources: variables of Flux, parts of a value
that a replacement copies, files from which Secrets are generated, values of Templates that create Secrets.
With a value, its other spellings and the credentials in it are recorded (``model.run.readings``), and what
YAML made of the text that it was put into (``taint_new_parts``). All output of findings, differences or lists
masks them. The values recorded by a worker process are sent to the process that prints. So are places whose
value counts as confidential in a cluster or a former tree as well (``taint_places``).

What the Secrets of overlays that are not built have is learned from their files (``learn_from``), once there
is something to say: most runs have nothing to say.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from contextvars import ContextVar
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from renderer.model.kube.json import Json, object_at, scalar_text, text_at
from renderer.model.masking import Masking
from renderer.model.run.work import spend

if TYPE_CHECKING:
    from renderer.model.run.learned_values import Learned

#: Keys that say what a value is, not the value. YAML in a confidential text has them as well.
_COMMON_KEYS = frozenset(
    {
        "address",
        "annotations",
        "apiVersion",
        "clientId",
        "credentials",
        "database",
        "dbname",
        "enabled",
        "endpoint",
        "hostname",
        "labels",
        "metadata",
        "namespace",
        "passphrase",
        "passwd",
        "password",
        "private-key",
        "privateKey",
        "protocol",
        "region",
        "scheme",
        "secret",
        "secretKey",
        "server",
        "service",
        "sslmode",
        "string",
        "stringData",
        "username",
        "values",
        "version",
    }
)


class Place(NamedTuple):
    """A key in the ``data`` of an object."""

    kind: str
    namespace: str
    name: str
    key: str


Recorded: TypeAlias = str | Place


class _Notes:
    """The values, and the search for them; values in ``new`` have not been added to it yet.

    ``recorded`` has values and places in the order in which they were recorded, and ``places`` the keys of
    each object. ``sources`` have values that were not asked for yet, None if they were; ``learned`` are
    values from these, ``learned_masking`` is the search for them, and ``search`` the one for all values.
    """

    def __init__(self) -> None:
        self.given: set[str] = set()
        self.recorded: dict[Recorded, None] = {}
        self.values: set[str] = set()
        self.places: dict[tuple[str, ...], list[str]] = {}
        self.new: list[str] = []
        self.masking = Masking()
        self.sources: dict[Hashable, Callable[[], Iterable[Learned]] | None] = {}
        self.learned: set[str] = set()
        self.learned_masking = Masking()
        self.search = Masking(others=(self.masking, self.learned_masking))


_notes: ContextVar[_Notes | None] = ContextVar("tainted", default=None)


def begin_notes() -> None:
    """Begin with no values, in this context."""
    _notes.set(_Notes())


def taint(values: Iterable[str]) -> None:
    """Record values and their readings until the run ends."""
    from renderer.model.run.readings import readings  # noqa: PLC0415 - most runs have no confidential values

    notes = _own_notes()
    for text in values:
        if text not in notes.given:
            notes.given.add(text)
            spend(1, "noting confidential values")
            _record(notes, readings(text))


def taint_again(recorded: Iterable[Recorded]) -> None:
    """Record places, and values that come with their readings, such as what another process has recorded."""
    _record(_own_notes(), recorded)


def taint_texts(value: Json) -> None:
    """Record every scalar in a tree as it is written."""
    taint(texts_of(value))


def taint_new_parts(tree: Json, without_values: Json) -> None:
    """Record each scalar and key of ``tree`` that ``without_values``, the tree without the values, lacks.

    What YAML makes of a confidential value depends on the text around it: it may become a mapping, a number,
    or lose its quotes. But all that the value brought in is new.
    """
    known = {*texts_of(without_values), *keys_of(without_values), *_COMMON_KEYS}
    taint(text for text in (*texts_of(tree), *keys_of(tree)) if text not in known)


def taint_places(places: Iterable[Place]) -> None:
    """Record places of what becomes a Secret's value."""
    _record(_own_notes(), places)


def values_in_places(objects: Iterable[Json]) -> frozenset[str]:
    """Return the values that objects have in a recorded place, and their readings."""
    from renderer.model.run.readings import readings  # noqa: PLC0415 - as above

    notes = _notes.get()
    places = notes.places if notes else {}
    found: set[str] = set()
    for each in objects if places else ():
        metadata = object_at(each, "metadata")
        owner = text_at(each, "kind"), text_at(metadata, "namespace"), text_at(metadata, "name")
        data = object_at(each, "data")
        for key in places.get(owner, ()):
            found.update(reading for text in texts_of(data.get(key)) for reading in readings(text))
    return frozenset(found)


def _own_notes() -> _Notes:
    notes = _notes.get()
    if notes is None:
        notes = _Notes()
        _notes.set(notes)
    return notes


def _record(notes: _Notes, recorded: Iterable[Recorded]) -> None:
    for each in recorded:
        if each in notes.recorded:
            continue
        notes.recorded[each] = None
        if isinstance(each, Place):
            notes.places.setdefault(each[:-1], []).append(each.key)
        else:
            notes.values.add(each)
            notes.new.append(each)


def texts_of(value: Json) -> Iterator[str]:
    """Yield the scalars in a tree as they are written, without null."""
    if isinstance(value, dict | list):
        for child in value.values() if isinstance(value, dict) else value:
            yield from texts_of(child)
    elif value is not None:
        yield scalar_text(value)


def keys_of(value: Json) -> Iterator[str]:
    """Yield the keys of all mappings in a tree."""
    if isinstance(value, dict):
        yield from value
    if isinstance(value, dict | list):
        for child in value.values() if isinstance(value, dict) else value:
            yield from keys_of(child)


def telling_keys_of(value: Json) -> Iterator[str]:
    """Yield the keys in a tree, except those that say what a value is."""
    return (key for key in keys_of(value) if key not in _COMMON_KEYS)


def learn_from(name: Hashable, source: Callable[[], Iterable[Learned]]) -> None:
    """Learn from what ``source`` returns once there is something to say; the name is of what it reads."""
    _own_notes().sources.setdefault(name, source)


def learn_nothing() -> None:
    """Ask no source any more: the run has no budget left, and says nothing else."""
    _own_notes().sources.clear()


def _learned(notes: _Notes) -> set[str]:
    """Return what the sources know, which are asked now unless they were."""
    sources = [source for source in notes.sources.values() if source is not None]
    if sources:
        from renderer.model.run.learned_values import confidential_values  # noqa: PLC0415 - as above

        notes.sources = dict.fromkeys(notes.sources)
        values = confidential_values(each for source in sources for each in source())
        notes.learned |= values
        notes.learned_masking.add(values)
    return notes.learned


def tainted() -> frozenset[str]:
    """Return the recorded values, and those that the run can learn."""
    notes = _notes.get()
    return frozenset(notes.values).union(_learned(notes)) if notes else frozenset()


def count_tainted() -> int:
    """Return the number of recorded values and places."""
    notes = _notes.get()
    return len(notes.recorded) if notes else 0


def tainted_since(count: int) -> tuple[Recorded, ...]:
    """Return the values and places after the first ``count``, in the order in which they were recorded."""
    notes = _notes.get()
    return tuple(notes.recorded)[count:] if notes else ()


def noted_masking() -> Masking:
    """Return the search for the values that were recorded so far in texts."""
    notes = _notes.get()
    if notes is None:
        return Masking()
    notes.masking.add(notes.new)
    notes.new = []
    return notes.masking


def taint_masking() -> Masking:
    """Return the search for these values, and for those that the run can learn, in texts for output."""
    notes = _notes.get()
    noted = noted_masking()
    return notes.search if notes and _learned(notes) else noted


def learned_masking() -> Masking:
    """Return the search for the values that the run can learn, in texts for output."""
    notes = _notes.get()
    if notes is None:
        return Masking()
    _learned(notes)
    return notes.learned_masking
