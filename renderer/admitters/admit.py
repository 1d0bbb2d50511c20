"""The stage's front door: requests in, what the webhooks refuse out, at the user's fields.

The machines of a fleet are mostly alike: they differ in names, addresses, labels, sizes of disks and what
cloud-init gets. One that is as another without these (``_outline``) is admitted as that one was.
"""

from __future__ import annotations

import marshal
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from renderer.admitters.causes import Cause, WebhookAnswer
from renderer.admitters.cluster import AdmittingCluster
from renderer.admitters.deprecations import warnings_of
from renderer.admitters.network.networks import is_good_address
from renderer.admitters.vm import admit_vm
from renderer.admitters.volumes import fits
from renderer.kubevirt.admission_request import AdmissionRequest
from renderer.kubevirt.kubernetes_names import dns_label_errors
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Severity
from renderer.model.json import Json, object_at
from renderer.model.record import Record
from renderer.model.release import Release
from renderer.model.resource import ResourceSet


def admit(
    requests: Iterable[AdmissionRequest], release: Release, composed: ResourceSet
) -> tuple[Diagnostic, ...]:
    """Return a diagnostic for each cause for which ``release`` refuses a request, or warns of what it admits.

    ``composed`` are the resources before their expansion: what is not there comes from an instance type, a
    preference or a default, and the diagnostic says so.
    """
    answers = list(_answers(requests, release))
    if not answers:
        return ()
    from renderer.admitters.findings import findings  # noqa: PLC0415 - only when something is wrong

    return tuple(findings(answers, composed))


def _answers(requests: Iterable[AdmissionRequest], release: Release) -> Iterator[WebhookAnswer]:
    """Yield the answers that have causes.

    An object that cannot be defaulted has none: its expansion or its schema reports it.
    """
    cluster, admitted = None, set[bytes]()
    for request in requests:
        if cluster is None or cluster.config is not request.config:
            cluster, admitted = AdmittingCluster(release, request.config), set()
        outline = _outline(request)
        if outline in admitted:
            continue
        try:
            request.content  # noqa: B018 - it is made when it is first asked for
        except DiagnosticError:
            continue
        causes = _causes(request, cluster)
        warnings = () if causes else tuple(warnings_of(request, cluster))
        if causes or warnings:
            yield WebhookAnswer(request, causes or warnings, Severity.ERROR if causes else Severity.WARNING)
        elif outline and len(outline) <= _LONGEST_OUTLINE and len(admitted) < _MOST_OUTLINES:
            admitted.add(outline)


def _causes(request: AdmissionRequest, cluster: AdmittingCluster) -> tuple[Cause, ...]:
    spec = object_at(request.content, "spec")
    try:
        if request.kind == "VirtualMachine":
            return admit_vm(spec, cluster, request.resource.namespace)
        if request.kind == "VirtualMachineInstance":
            from renderer.admitters.vmi import check_vmi  # noqa: PLC0415 - few repositories have any

            return tuple(check_vmi(request.content, cluster))
        from renderer.admitters.kinds import CHECKS_OF_KINDS  # noqa: PLC0415 - as above

        if request.kind not in CHECKS_OF_KINDS:
            return ()
        return tuple(CHECKS_OF_KINDS[request.kind].causes(cluster.release, frozenset(spec), spec, cluster))
    except DiagnosticError:  # a quantity that is none, of which the schema tells
        return ()


class _Own(Record):
    """What is a machine's own: its namespace, and the names of its claims by their numbers."""

    namespace: str
    claims: dict[str, tuple[int]]

    def claim(self, name: Json) -> object:
        """Return the number of a claim: checks compare the names with each other, and with nothing else."""
        return self.claims.setdefault(name, (len(self.claims),)) if isinstance(name, str) and name else name

    def is_here(self, namespace: Json) -> object:
        """Return True for the machine's namespace; where that is not known, any is good."""
        return (True,) if namespace == self.namespace or not self.namespace else namespace

    def unseen(self, value: Json) -> object:
        """Return the same for all values: checks ask only whether there is one."""
        return value if value is None else (True,)

    def name(self, name: Json) -> object:
        """Return the same for all names of Secrets."""
        return (True,) if isinstance(name, str) and name else name

    def keys(self, labels: Json) -> object:
        """Return the keys of labels, whose values nobody checks."""
        return tuple(labels) if isinstance(labels, dict) else labels

    def data(self, text: Json) -> object:
        """Return the same for all data that fit."""
        return (True,) if isinstance(text, str) and text and fits(text) else text

    def hostname(self, name: Json) -> object:
        """Return the same for all good names."""
        return (True,) if isinstance(name, str) and name and not dns_label_errors(name) else name

    def address(self, address: Json) -> object:
        """Return the same for all good addresses."""
        return (True,) if is_good_address(address) else address


_CLOUD_INIT = {
    "userData": _Own.data,
    "networkData": _Own.data,
    "secretRef": {"name": _Own.name},
    "networkDataSecretRef": {"name": _Own.name},
}
#: The fields of a VirtualMachine's spec that are its own, and what the checks see of them.
_OWN_FIELDS = {
    "dataVolumeTemplates": {
        "metadata": {"name": _Own.claim, "namespace": _Own.is_here},
        "spec": {
            "sourceRef": _Own.unseen,
            "storage": {"resources": _Own.unseen},
            "pvc": {"resources": _Own.unseen},
        },
    },
    "template": {
        "metadata": {"labels": _Own.keys},
        "spec": {
            "hostname": _Own.hostname,
            "domain": {"devices": {"interfaces": {"macAddress": _Own.address}}},
            "volumes": {
                "dataVolume": {"name": _Own.claim},
                "persistentVolumeClaim": {"claimName": _Own.claim},
                "cloudInitNoCloud": _CLOUD_INIT,
                "cloudInitConfigDrive": _CLOUD_INIT,
            },
        },
    },
}
#: Outlines that are kept, and the bytes of the longest: machines are of a few makes, or all different.
_MOST_OUTLINES, _LONGEST_OUTLINE = 1_000, 20_000


def _outline(request: AdmissionRequest) -> bytes:
    """Return what the webhooks look at in a VirtualMachine; nothing for an object of another kind.

    Its own fields have stand-ins, which are no JSON.
    """
    if request.kind != "VirtualMachine":
        return b""
    own = _Own(request.resource.namespace, {})
    outlined = _without_own(object_at(request.written, "spec"), _OWN_FIELDS, own)
    try:
        return marshal.dumps(outlined, 2)  # where equal values have equal bytes; a third of the time of repr
    except ValueError:  # for one that is too deep, or a kind of text of our own
        return b""


def _without_own(value: Json, fields: Mapping[str, Any], own: _Own) -> Any:  # noqa: ANN401 - Json and stand-ins
    if isinstance(value, list):
        return [_without_own(element, fields, own) for element in value]
    if not isinstance(value, dict):
        return value
    outlined = dict(value)
    for key, below in fields.items():
        if key in outlined:
            child = outlined[key]
            outlined[key] = _without_own(child, below, own) if isinstance(below, dict) else below(own, child)
    return outlined
