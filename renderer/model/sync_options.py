"""How Argo CD applies an object: its sync options, also of an Application, its sync wave, or phase as a hook.

argo-cd ``docs/user-guide/sync-options.md``, ``gitops-engine/pkg/sync/common/types.go`` and
``controller/sync.go``, 3.5: an option that is not exactly one of these is ignored, without a message. Hooks
are as in ``gitops-engine/pkg/sync/hook/hook.go`` and ``hook/helm``.
"""

from __future__ import annotations

from collections.abc import Mapping

from renderer.model.kube.json import array_at, text_at
from renderer.model.kube.resource import Resource
from renderer.model.pattern import pattern
from renderer.model.record import Record
from renderer.model.suggest import suggest
from renderer.model.whole_number import whole_number

HOOK_ANNOTATION = "argocd.argoproj.io/hook"
_HELM_HOOK, _NO_HELM_HOOK = "helm.sh/hook", "crd-install"
#: An object whose only type this is, is no hook, and not applied.
SKIP = "Skip"
#: The phases of a sync in which a hook is created, and the types of Helm's hooks that Argo CD creates.
_HOOK_TYPES = frozenset({"PreSync", "Sync", "PostSync", "SyncFail", SKIP})
_HELM_HOOK_TYPES = frozenset({"pre-install", "pre-upgrade", "post-upgrade", "post-install"})
SYNC_WAVE_ANNOTATION = "argocd.argoproj.io/sync-wave"
SYNC_OPTIONS_ANNOTATION = "argocd.argoproj.io/sync-options"
#: Makes a sync leave the fields that ``ignoreDifferences`` names.
RESPECT_IGNORED = "RespectIgnoreDifferences=true"
#: By these, a sync deletes and creates what it cannot update, or replaces it (``kubectl replace``).
FORCE, REPLACE = "Force=true", "Replace=true"
SERVER_SIDE, NOT_SERVER_SIDE = "ServerSideApply=true", "ServerSideApply=false"
#: Makes a sync leave the objects that do not differ.
OUT_OF_SYNC_ONLY = "ApplyOutOfSyncOnly=true"
#: What Go's ``strconv.Atoi`` reads.
_INTEGER = pattern(r"[-+]?[0-9]+")
_BOOLEAN = ("true", "false")
_CONFIRMED = ("false", "confirm", "true")
_OPTIONS: Mapping[str, tuple[str, ...]] = {
    "ApplyOutOfSyncOnly": _BOOLEAN,
    "ClientSideApplyMigration": _BOOLEAN,
    "CreateNamespace": _BOOLEAN,
    "Delete": _CONFIRMED,
    "FailOnSharedResource": _BOOLEAN,
    "Force": _BOOLEAN,
    "Prune": _CONFIRMED,
    "PruneLast": _BOOLEAN,
    "PrunePropagationPolicy": ("background", "foreground", "orphan"),
    "Replace": _BOOLEAN,
    "RespectIgnoreDifferences": _BOOLEAN,
    "ServerSideApply": _BOOLEAN,
    "SkipDryRunOnMissingResource": _BOOLEAN,
    "Validate": _BOOLEAN,
}
#: What other tools fill in later may be any option.
_PLACEHOLDERS = ("{", "$", "<<")


def options_of_object(resource: Resource) -> tuple[str, ...]:
    """Return the sync options in the annotation of an object, of which Argo CD trims each."""
    written = text_at(resource.annotations, SYNC_OPTIONS_ANNOTATION)
    return tuple(option.strip() for option in written.split(","))


def options_of_application(application: Resource) -> tuple[str, ...]:
    """Return the sync options that an Application has for all of its objects."""
    return tuple(map(str, array_at(application.content, "spec", "syncPolicy", "syncOptions")))


def is_skipped(resource: Resource) -> bool:
    """Return True if no sync applies an object, nor deletes it (``Skip``)."""
    return _hook_types(resource) == {SKIP}


def is_hook(resource: Resource) -> bool:
    """Return True for an object that Argo CD takes for a hook, whatever its annotation says (``IsHook``)."""
    if isinstance(resource.annotations.get(HOOK_ANNOTATION), str):
        return not is_skipped(resource)
    of_helm = resource.annotations.get(_HELM_HOOK)
    return isinstance(of_helm, str) and of_helm != _NO_HELM_HOOK


def is_hook_of_no_phase(resource: Resource) -> bool:
    """Return True for a hook that no sync creates, as an empty or a misspelt one is not (``ignore.go``).

    A sync has no such object, and prunes the one that the cluster has (``reconcile.go`` ``splitHooks``).
    """
    return is_hook(resource) and not _hook_types(resource)


def _hook_types(resource: Resource) -> frozenset[str]:
    written = (text_at(resource.annotations, each).split(",") for each in (HOOK_ANNOTATION, _HELM_HOOK))
    own, helm = (frozenset(map(str.strip, each)) for each in written)
    return own & _HOOK_TYPES or helm & _HELM_HOOK_TYPES


class IgnoredOption(Record):
    """Why Argo CD ignores an option; ``meant`` is the one that somebody meant, if there is only one."""

    message: str
    hint: str
    meant: str = ""


def ignored_option(option: str) -> IgnoredOption | None:
    """Return why Argo CD ignores an option; None for one that it knows, and for a placeholder."""
    if any(sign in option for sign in _PLACEHOLDERS):
        return None
    name, equals, value = option.partition("=")
    if name not in _OPTIONS:
        message = f"Argo CD does not know the sync option {name}"
        near = suggest(name.strip(), _OPTIONS, most=1, cutoff=0.8)
        if not near:
            return IgnoredOption(message, "Argo CD ignores it: correct its name, or leave it out")
        meant = f"{near[0]}={value.strip()}" if equals else ""
        return IgnoredOption(message, f"did you mean {near[0]}? Argo CD ignores it", meant)
    values = _OPTIONS[name]
    if value in values:
        return None
    message = (
        f"the sync option {name} cannot be {value}" if equals else f"the sync option {name} has no value"
    )
    meant = value.strip().lower()
    if meant in values:
        return IgnoredOption(message, f"did you mean {meant}? Argo CD ignores it", f"{name}={meant}")
    return IgnoredOption(message, f"its values are {', '.join(values)}; Argo CD ignores any other")


def sync_wave(resource: Resource) -> int:
    """Return the sync wave of an object; 0 without one, and for one that is not a number.

    ``gitops-engine/pkg/sync/syncwaves/waves.go``.
    """
    written = text_at(resource.annotations, SYNC_WAVE_ANNOTATION)
    return whole_number(written) if _INTEGER.fullmatch(written) else 0
