"""A ControllerRevision that a virtual machine needs, and that is deleted.

Since KubeVirt 1.5 the status of a VirtualMachine names the revisions of its instance type and preference. A
matcher that stops naming a revision does not change the status (``pkg/instancetype/revision/store.go``,
``syncStatusWithMatcher``), and without the revision that the status names, virt-controller neither syncs the
VM nor starts it (``find/revision.go``). Even a matcher that names another object may come too late: since 1.6
virt-controller looks for the revision before it compares the status with the matcher
(``controller/vm/controller.go``, ``checkResourcesExist``), and Argo CD prunes before it applies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from renderer.kubevirt.facts.kinds import MATCHER_TYPES
from renderer.kubevirt.impact.judge import Judgement
from renderer.model.difference import Effect, Impact, by_severity, worst
from renderer.model.kube.json import EMPTY, JsonObject, text_at

_SOURCE = "pkg/instancetype/find/revision.go Find"


def named_revisions(vm_spec: JsonObject, status: JsonObject = EMPTY) -> Mapping[str, str]:
    """Return the revision that KubeVirt uses for each matcher of a VM, by the key of the matcher.

    A revision that the matcher names has precedence over the one that the status names.
    """
    names = {
        each.key: text_at(vm_spec, each.key, "revisionName")
        or text_at(status, each.status_ref, "controllerRevisionRef", "name")
        for each in MATCHER_TYPES
        if vm_spec.get(each.key) is not None
    }
    return {key: name for key, name in names.items() if name}


def still_needed(named: Mapping[str, str], vm_spec: JsonObject) -> Iterator[str]:
    """Yield the revisions among ``named`` that a VM needs after its spec has changed to ``vm_spec``.

    It needs all except the revisions of matchers that are gone or name another one.
    """
    for key, name in named.items():
        if vm_spec.get(key) is not None and text_at(vm_spec, key, "revisionName") in ("", name):
            yield name


def with_lost_revisions(judgement: Judgement, lost: Iterable[str], reason: Callable[[str], str]) -> Judgement:
    """Return the judgement of a change that also deletes the revisions ``lost``, which the VM needs."""
    impacts = [Impact(Effect.NO_START, reason(name), _SOURCE) for name in lost]
    if not impacts:
        return judgement
    effects = {Effect.NO_START, *judgement.effects}
    return judgement._replace(
        impact=worst([*impacts, *filter(None, [judgement.impact])]),
        effects=by_severity(effects),
        start_refusal=judgement.start_refusal or impacts[0].reason,
    )
