"""Values by the globs of shells that they are for, found by texts without trying each value."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Generic, TypeAlias, TypeVar

from renderer.golang.glob import Glob, shell_glob
from renderer.model.run.work import spend

_Value = TypeVar("_Value")
#: The globs of an entry, by the position of the text that each is for.
_Globs: TypeAlias = tuple[tuple[int, Glob], ...]
_WILDCARDS = frozenset("*?[")
#: Steps for a glob that is tried, for each so many characters of its text, and for one that is read.
_STEPS_PER_GLOB, _CHARACTERS_PER_STEP, _STEPS_TO_READ = 2, 64, 20


class GlobTable(Generic[_Value]):
    """Values, each with a glob for every text that it is looked up by; None matches any text.

    Texts without wildcards are keys of a table; each glob that is tried counts as work of ``activity``.
    """

    def __init__(self, entries: Iterable[tuple[Sequence[str | None], _Value]], activity: str) -> None:
        self._activity = activity
        self._found: dict[tuple[str | None, ...], list[tuple[int, _Globs, _Value]]] = {}
        self._shapes: dict[tuple[bool, ...], None] = {}
        for number, (globs, value) in enumerate(entries):
            key = tuple(None if text is None or not _WILDCARDS.isdisjoint(text) else text for text in globs)
            tried: list[tuple[int, Glob]] = []
            for at, text in enumerate(globs):
                if text is not None and key[at] is None:
                    spend(_STEPS_TO_READ + len(text), activity)
                    tried.append((at, shell_glob(text)))
            self._shapes[tuple(text is not None for text in key)] = None
            self._found.setdefault(key, []).append((number, tuple(tried), value))

    def matching(self, texts: Sequence[str]) -> list[_Value]:
        """Return the values whose globs match all of ``texts``, in the order in which they were given."""
        found: list[tuple[int, _Value]] = []
        for shape in self._shapes:
            key = tuple(text if is_key else None for text, is_key in zip(texts, shape, strict=True))
            for number, globs, value in self._found.get(key, ()):
                if all(self._matches(glob, texts[at]) for at, glob in globs):
                    found.append((number, value))
        if len(found) > 1:
            spend(len(found), self._activity)
            found.sort(key=lambda each: each[0])
        return [value for _, value in found]

    def _matches(self, glob: Glob, text: str) -> bool:
        spend(_STEPS_PER_GLOB + (1 + glob.width) * len(text) // _CHARACTERS_PER_STEP, self._activity)
        return glob.matches(text)
