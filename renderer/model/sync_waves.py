"""When Argo CD applies an object: in the phase of a hook, and in a sync wave.

argo-cd ``gitops-engine/pkg/sync/syncwaves/waves.go`` and ``pkg/sync/hook``.
"""

from __future__ import annotations

from renderer.model.kube.json import text_at
from renderer.model.kube.resource import Resource
from renderer.model.pattern import pattern
from renderer.model.whole_number import whole_number

HOOK_ANNOTATION = "argocd.argoproj.io/hook"
SYNC_WAVE_ANNOTATION = "argocd.argoproj.io/sync-wave"
#: What Go's ``strconv.Atoi`` reads.
_INTEGER = pattern(r"[-+]?[0-9]+")


def sync_wave(resource: Resource) -> int:
    """Return the sync wave of an object; 0 without one, and for one that is not a number."""
    written = text_at(resource.annotations, SYNC_WAVE_ANNOTATION)
    return whole_number(written) if _INTEGER.fullmatch(written) else 0
