"""KubeVirt's admission webhooks: what they reject in an object that its schema accepts.

``review.review`` is the entry point. The checks of each kind, and their files in KubeVirt's
``pkg/virt-api/webhooks/validating-webhook/admitters``:

=====================  ======================================================  ============================
``vm``                 a VirtualMachine, expanded and defaulted                ``vms-admitter.go``
``vmi``                a VirtualMachineInstance                                ``vmi-create-admitter.go``
``workloads``          pools, replica sets and presets, as written             ``vmpool-admitter.go`` …
``storage_objects``    snapshots, restores, clones and exports                 ``pkg/storage/admitters``
``migrations``         migrations and their policies                           ``migration-create-…``
``kubevirt_object``    the KubeVirt object itself                              ``pkg/virt-operator/webhooks``
``hyperconverged_object``  a HyperConverged object                            ``kubevirt/hyperconverged``
``kinds``              the tables of the kinds above
``vmi_checks``         the table of checks of a template, in order             ``vmi-create-admitter.go``
``network/``           networks and interfaces                                 ``pkg/network/admitter``
``disks`` …            one module for each group of fields
``deprecations``       warnings about objects that are admitted                ``vmi-create-admitter.go`` …
``findings``           causes as diagnostics, with the origin of the field
=====================  ======================================================  ============================

A check is one function that yields a ``Cause`` for each mistake. Its row in a table (``check_table``) has the
fields that trigger it, the releases that make it and KubeVirt's own function. If releases make a check
differently, there are two functions and two rows. ``python -m tests.releases`` lists all rows.

Checks that need a cluster are not made: the state of snapshots, restores and volume requests. Releases before
1.8 depend on the cluster's own architecture, which is the default architecture of the ``KubeVirt`` object.
"""

from __future__ import annotations

from renderer.kubevirt.facts.admission_request import REVIEWED_KINDS
from renderer.model.kube.resource import ResourceSet


def concerns(resources: ResourceSet) -> bool:
    """Return True if a webhook checks any of the resources; does not import the stage."""
    return any(resource.kind in REVIEWED_KINDS for resource in resources)
