"""What an orchestrator notes in annotations of the items that it hands to a function.

https://github.com/kubernetes-sigs/kustomize/blob/master/cmd/config/docs/api-conventions/functions-spec.md and
the older names that ``kyaml/kio/kioutil/kioutil.go`` still reads and writes.
"""

from __future__ import annotations

from renderer.model.json import JsonObject, object_at, scalar_text, with_value

_INTERNAL = "internal.config.kubernetes.io/"
_PREFIXES = (_INTERNAL, "config.kubernetes.io/", "config.k8s.io/")
_NOTES = frozenset(prefix + note for prefix in _PREFIXES for note in ("path", "index", "id"))
_LOCAL = "config.kubernetes.io/local-config"


def noted(content: JsonObject, note: str) -> str:
    """What the orchestrator noted as ``path`` or ``index``; empty for nothing."""
    annotations = object_at(content, "metadata", "annotations")
    return next((scalar_text(annotations[p + note]) for p in _PREFIXES if p + note in annotations), "")


def is_local(content: JsonObject) -> bool:
    """Whether the object configures tools and never gets to a cluster."""
    annotations = object_at(content, "metadata", "annotations")
    return _LOCAL in annotations and scalar_text(annotations[_LOCAL]) != "false"


def with_notes_of(content: JsonObject, other: JsonObject) -> JsonObject:
    """``content`` in the file, and at the place in it, where ``other`` is."""
    annotations = object_at(other, "metadata", "annotations")
    notes = {key: annotations[key] for key in annotations if key.startswith(_INTERNAL) or key in _NOTES}
    if not notes:
        return content
    path = ("metadata", "annotations")
    return with_value(content, path, {**object_at(content, *path), **notes})
