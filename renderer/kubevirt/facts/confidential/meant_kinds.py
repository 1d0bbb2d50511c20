"""Which kinds a manifest means: a kind may be misspelt, and the kind of a patch's target is a pattern.

kustomize and Flux match ``target.kind`` as an anchored regular expression of RE2 (kustomize
``api/types/selector.go``, ``SelectorRegex``), as they match the ``select`` of a replacement.
"""

from __future__ import annotations

from functools import lru_cache

from renderer.kubevirt.facts.kinds import CONFIG_MAP, SECRET
from renderer.model.kube.json import Json, JsonObject
from renderer.model.pattern import pattern

#: The target of a patch that may be for an object of any kind.
ANY_KIND = "*"
#: The target of a patch without one, which names the kind itself.
OWN_KIND = "?"
_WORD = pattern(r"\w+")
_LETTERS = pattern(r"[^a-z]")
_LONGEST_KIND = 20
#: The version of the core group. Of its kinds, only Secret and ConfigMap have ``data``.
_CORE = "v1"


def target_kind(selector: JsonObject) -> str:
    """Return the kind of the objects that a patch or a replacement selects, ``ANY_KIND`` for several."""
    kind = selector.get("kind")
    return kind if isinstance(kind, str) and _WORD.fullmatch(kind) else ANY_KIND


def may_be_secret(kind: str) -> bool:
    """Return True if a target may be a Secret."""
    return kind == ANY_KIND or means_secret(kind)


def means_secret(kind: Json) -> bool:
    """Return True for ``Secret``, in any case and with one mistake: a letter more, less, swapped or wrong."""
    return kind == SECRET or (isinstance(kind, str) and _resembles_secret(kind))


@lru_cache(maxsize=1024)
def _resembles_secret(kind: str) -> bool:
    if len(kind) > _LONGEST_KIND:
        return False
    letters = _LETTERS.sub("", kind.lower())
    return not without_letters(letters, 1).isdisjoint(without_letters(SECRET.lower(), 1))


def is_secret_if_it_has_data(api_version: Json, kind: Json) -> bool:
    """Return True for an object of the core group that is not a ConfigMap, whatever kind was meant."""
    return api_version == _CORE and kind != CONFIG_MAP


@lru_cache(maxsize=64)
def without_letters(word: str, most: int) -> frozenset[str]:
    """Return the word, and the word without up to ``most`` of its letters."""
    forms = {word}
    for _ in range(most):
        forms |= {form[:at] + form[at + 1 :] for form in forms for at in range(len(form))}
    return frozenset(forms)
