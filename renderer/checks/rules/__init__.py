"""Rules: input that is legal but probably a mistake.

``table`` lists every rule, ``judge`` runs them all, ``context`` is the overlay that they check.
"""

from __future__ import annotations

from renderer.checks.schemas.kubevirt_kinds import MACHINE_GROUPS
from renderer.kubevirt.facts.kinds import CLAIM, is_kubevirt_group
from renderer.model.kube.json import object_at
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.vmrender_api import VMRENDER_GROUP

_CRON_JOB = "CronJob"


def rules_apply_to(resources: ResourceSet) -> bool:
    """Return True if rules apply to any of the resources.

    They apply to KubeVirt's kinds, the networks and migrations of machines, CronJobs and claims that are
    clones, and to annotated resources.
    """
    return any(
        is_kubevirt_group(resource.gvk.group)
        or resource.gvk.group in MACHINE_GROUPS
        or resource.kind == _CRON_JOB
        or (resource.kind == CLAIM and _is_clone(resource))
        or has_vmrender_annotation(resource)
        for resource in resources
    )


def _is_clone(claim: Resource) -> bool:
    spec = object_at(claim.content, "spec")
    return "dataSource" in spec or "dataSourceRef" in spec


def has_vmrender_annotation(resource: Resource) -> bool:
    """Return True if the resource has an annotation for vmrender."""
    annotations = object_at(resource.content, "metadata", "annotations")
    return bool(annotations) and any(VMRENDER_GROUP in key for key in annotations)
