"""KubeVirt's admission webhooks: what they refuse of an object that its schema admits.

``admit.admit`` is the door. What is asked for each kind, and where KubeVirt has it in
``pkg/virt-api/webhooks/validating-webhook/admitters``:

=====================  ======================================================  ============================
``vm``                 a VirtualMachine, expanded and defaulted                ``vms-admitter.go``
``vmi``                a VirtualMachineInstance                                ``vmi-create-admitter.go``
``workloads``          pools, replica sets and presets, as they stand          ``vmpool-admitter.go`` …
``storage_objects``    snapshots, restores, clones and exports                 ``pkg/storage/admitters``
``migrations``         migrations and their policies                           ``migration-create-…``
``kinds``              the tables of the kinds above
``vmi_checks``         the table of checks of a template, in order             ``vmi-create-admitter.go``
``network/``           networks and interfaces                                 ``pkg/network/admitter``
``disks`` …            one module for each group of fields
``deprecations``       warnings about what is admitted                         ``vmi-create-admitter.go`` …
``findings``           causes as diagnostics, with who set the field
=====================  ======================================================  ============================

A check is one function that yields a ``Cause`` for what is wrong. Its row in a table (``check_table``) has
the fields that make it necessary, the releases that make it and KubeVirt's own function; where a release
checks otherwise, there are two functions and two rows. ``python -m tests.releases`` lists all rows.

Checks that need a cluster are not made: the state of snapshots, restores and volume requests. The cluster's
own architecture, on which releases before 1.8 depend, is the default one of the ``KubeVirt`` object.
"""

from __future__ import annotations

from renderer.kubevirt.facts.admission_request import ADMITTED
from renderer.model.resource import ResourceSet


def concerns(resources: ResourceSet) -> bool:
    """Return true if a webhook is asked about any of the resources; costs no import of the stage."""
    return any(resource.content.get("kind") in ADMITTED for resource in resources)
