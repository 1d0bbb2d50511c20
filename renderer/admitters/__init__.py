"""KubeVirt's admission webhooks: what they refuse of a virtual machine that its schema admits.

``admit.admit`` is the door. What is asked for each kind, and where KubeVirt has it in
``pkg/virt-api/webhooks/validating-webhook/admitters``:

==================  =========================================================  ============================
``vm``              a VirtualMachine, expanded and defaulted                   ``vms-admitter.go``
``vmi``             a VirtualMachineInstance                                   ``vmi-create-admitter.go``
``pool``            a VirtualMachinePool, and its template as it stands        ``vmpool-admitter.go``
``vmi_checks``      the table of checks that all three make, in order          ``vmi-create-admitter.go``
``network/``        networks and interfaces                                    ``pkg/network/admitter``
``disks`` …         disks and their fields                                     ``pkg/storage/admitters``
``feature_gates``   which gates are on                                         ``pkg/virt-config/featuregate``
``findings``        causes as diagnostics, with who set the field
==================  =========================================================  ============================

One module for each group of fields. A check yields a ``Cause`` for what is wrong; its table says which fields
make it necessary and which releases make it, ``behaviour`` what they do differently within it.

Checks that need a cluster are not made: the state of snapshots, restores and volume requests. Nor is the
limit on architectures that KubeVirt had before 1.8, which was that of virt-api's own node.
"""

from __future__ import annotations

from renderer.model.admission import ADMITTED
from renderer.model.resource_set import ResourceSet


def concerns(resources: ResourceSet) -> bool:
    """Return true if a webhook is asked about any of the resources; costs no import of the stage."""
    return any(resource.content.get("kind") in ADMITTED for resource in resources)
