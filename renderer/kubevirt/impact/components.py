"""Where KubeVirt's own pods run, how they are customized, and what running machines lose by a change.

virt-operator puts ``workloads.nodePlacement`` of the ``KubeVirt`` object into the DaemonSet virt-handler, and
``infra.nodePlacement`` into the Deployments (``pkg/virt-operator/resource/apply/apps.go`` ``syncDaemonSet``,
``syncDeployment``; ``pkg/virt-operator/resource/placement/placement.go`` ``InjectPlacementMetadata``). A node
that virt-handler leaves sends no heartbeat, so that virt-controller marks it as not schedulable; machines run
on there without anybody who acts on them (``pkg/virt-controller/watch/node/node.go``
``markNodeAsUnresponsive``, ``createEventIfNodeHasOrphanedVMIs``).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from renderer.model.difference import Effect, Impact
from renderer.model.kube.json import JsonObject, array_at, object_at, text_at
from renderer.model.pattern import pattern
from renderer.model.plural import listed
from renderer.model.run.work import spend

HANDLER, _CONTROLLER, _EVERY = "virt-handler", "virt-controller", "*"
_FLAGGED = {"api": "virt-api", "controller": _CONTROLLER, "handler": HANDLER}
#: Patches and flags that name an image, rather than how it is pulled, and what looks like one.
_IMAGE = pattern(r"[iI]mage(?!Pull|-pull)")
_REFERENCE = pattern(r"(?<![\w./-])(?=[\w./-]*[\w-]/)[\w./-]++(?<=\w)[:@]\w")
_ARGUMENTS = pattern(r"\bargs\b|\bcommand\b")
_LIMIT = pattern(r"nodeSelector|[aA]ffinity|nodeName")
_COMPARING = "comparing the nodes of KubeVirt's components"
_OS = "kubernetes.io/os"
_PLACED = "pkg/virt-operator/resource/apply/apps.go syncDaemonSet"
_CUSTOMIZER = "pkg/virt-operator/resource/apply/patches.go NewCustomizer"
_LEFT = (
    "machines there run on, but KubeVirt neither changes, stops nor live-migrates them, and starts none there"
)
_RUN_ON = "virtual machines run on"


class Customization(NamedTuple):
    """A patch or flag of ``customizeComponents``: the component that it is for, and all of its text."""

    component: str
    text: str

    @property
    def names_image(self) -> bool:
        return bool(_IMAGE.search(self.text) or _REFERENCE.search(self.text))

    @property
    def names_launcher(self) -> bool:
        """True if it may decide the image of instances: virt-controller is told it (``--launcher-image``)."""
        is_argument = self.component in (_CONTROLLER, _EVERY) and _ARGUMENTS.search(self.text)
        return self.names_image and ("launcher" in self.text or bool(is_argument))


def customizations(kubevirt: JsonObject) -> tuple[Customization, ...]:
    """Return the patches and flags by which a ``KubeVirt`` object changes its components."""
    custom = object_at(kubevirt, "spec", "customizeComponents")
    keys = "resourceType", "resourceName", "type", "patch"
    patches = (
        Customization(text_at(each, "resourceName"), " ".join(text_at(each, key) for key in keys))
        for each in map(object_at, array_at(custom, "patches"))
    )
    flags = (
        Customization(_FLAGGED.get(component, component), f"{component} --{flag} {value}")
        for component, values in object_at(custom, "flags").items()
        for flag, value in object_at(values).items()
    )
    return (*patches, *flags)


def component_impacts(before: JsonObject, after: JsonObject) -> Iterator[Impact]:
    """Yield what other placements and customizations of two ``KubeVirt`` objects mean for running machines.

    Images are left to ``other_cluster``.
    """
    old, new = (object_at(each, "spec", "workloads", "nodePlacement") for each in (before, after))
    if old != new:
        yield _moved("workloads.nodePlacement", is_narrower=_is_narrower(old, new), source=_PLACED)
    old, new = (object_at(each, "spec", "infra", "nodePlacement") for each in (before, after))
    if old != new:
        reason = (
            "infra.nodePlacement: virt-operator restarts virt-api and virt-controller, maybe on other nodes"
        )
        yield Impact(Effect.LIVE, f"{reason}; {_RUN_ON}", _PLACED)
    former, latter = (
        [each for each in customizations(one) if not each.names_image] for one in (before, after)
    )
    removed, added = {*former} - {*latter}, {*latter} - {*former}
    if any(map(_limits_nodes, added)) or any(map(_tolerates, removed)):
        yield _moved("customizeComponents", is_narrower=True, source=_CUSTOMIZER)
    elif removed or added:
        names = listed(sorted({each.component for each in removed | added}))
        reason = f"customizeComponents: virt-operator changes or restarts {names}"
        yield Impact(Effect.LIVE, f"{reason}; {_RUN_ON}", _CUSTOMIZER)


def _limits_nodes(patch: Customization) -> bool:
    return patch.component in (HANDLER, _EVERY) and bool(_LIMIT.search(patch.text))


def _tolerates(patch: Customization) -> bool:
    return patch.component in (HANDLER, _EVERY) and "toleration" in patch.text


def _moved(field: str, *, is_narrower: bool, source: str) -> Impact:
    if is_narrower:
        return Impact(Effect.NO_START, f"{field} may take virt-handler from nodes: {_LEFT}", source)
    return Impact(Effect.LIVE, f"{field} restarts virt-handler, maybe on more nodes; {_RUN_ON}", source)


def _is_narrower(before: JsonObject, after: JsonObject) -> bool:
    """Return True if fewer nodes may match a placement than before.

    A node has to match all labels, and one of the required terms.
    """
    old, new = (object_at(each, "nodeSelector") for each in (before, after))
    labels = {_OS: "linux", **old}
    if any(labels.get(key) != value for key, value in new.items()):
        return True
    tolerated, former = array_at(after, "tolerations"), array_at(before, "tolerations")
    spend(len(tolerated) * len(former), _COMPARING)
    is_everything = any(
        text_at(each, "operator") == "Exists" and not text_at(each, "key") and not text_at(each, "effect")
        for each in tolerated
    )
    if not is_everything and any(each not in tolerated for each in former):
        return True
    required = ("affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution")
    terms = [array_at(each, *required, "nodeSelectorTerms") for each in (before, after)]
    spend(len(terms[0]) * len(terms[1]), _COMPARING)
    if terms[1] and (not terms[0] or any(each not in terms[1] for each in terms[0])):
        return True
    return any(
        _required_pods(after, kind) and _required_pods(after, kind) != _required_pods(before, kind)
        for kind in ("podAffinity", "podAntiAffinity")
    )


def _required_pods(placement: JsonObject, kind: str) -> object:
    return array_at(placement, "affinity", kind, "requiredDuringSchedulingIgnoredDuringExecution")
