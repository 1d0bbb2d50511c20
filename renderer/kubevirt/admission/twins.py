"""Virtual machines that the webhooks cannot tell apart: twins, which get one verdict.

The machines of a fleet are mostly alike: they differ in names, addresses, labels, sizes of disks and what
cloud-init gets. The webhooks look at these, their own fields, in few ways. In the key of a machine, each of
them has a stand-in: the same one for all values that no check tells apart.
"""

from __future__ import annotations

import marshal
from collections.abc import Mapping
from typing import Any

from renderer.kubevirt.admission.network.networks import is_valid_address
from renderer.kubevirt.admission.volumes import fits
from renderer.kubevirt.facts.admission_request import AdmissionRequest
from renderer.kubevirt.facts.kubernetes_names import dns_label_errors
from renderer.model.json import Json, object_at
from renderer.model.record import Record

#: The bytes of the longest key.
_LONGEST = 20_000


class _StandIns(Record):
    """The stand-ins for fields of one machine, whose namespace and numbered claims it knows."""

    namespace: str
    claims: dict[str, tuple[int]]

    def claim(self, name: Json) -> object:
        """Return the number of a claim: checks compare the names with each other, and with nothing else."""
        return self.claims.setdefault(name, (len(self.claims),)) if isinstance(name, str) and name else name

    def is_own_namespace(self, namespace: Json) -> object:
        """Return True for the machine's namespace; where that is not known, any is good."""
        return (True,) if namespace == self.namespace or not self.namespace else namespace

    def unseen(self, value: Json) -> object:
        """Return one stand-in for all values: checks ask only whether there is one."""
        return value if value is None else (True,)

    def name(self, name: Json) -> object:
        """Return one stand-in for all names of Secrets."""
        return (True,) if isinstance(name, str) and name else name

    def keys(self, labels: Json) -> object:
        """Return the keys of labels, whose values nobody checks."""
        return tuple(labels) if isinstance(labels, dict) else labels

    def data(self, text: Json) -> object:
        """Return one stand-in for all data that fit."""
        return (True,) if isinstance(text, str) and text and fits(text) else text

    def hostname(self, name: Json) -> object:
        """Return one stand-in for all valid names."""
        return (True,) if isinstance(name, str) and name and not dns_label_errors(name) else name

    def address(self, address: Json) -> object:
        """Return one stand-in for all valid addresses."""
        return (True,) if is_valid_address(address) else address


_CLOUD_INIT = {
    "userData": _StandIns.data,
    "networkData": _StandIns.data,
    "secretRef": {"name": _StandIns.name},
    "networkDataSecretRef": {"name": _StandIns.name},
}
#: The fields of a VirtualMachine's spec that are its own, and what the checks see of them.
_OWN_FIELDS = {
    "dataVolumeTemplates": {
        "metadata": {"name": _StandIns.claim, "namespace": _StandIns.is_own_namespace},
        "spec": {
            "sourceRef": _StandIns.unseen,
            "storage": {"resources": _StandIns.unseen},
            "pvc": {"resources": _StandIns.unseen},
        },
    },
    "template": {
        "metadata": {"labels": _StandIns.keys},
        "spec": {
            "hostname": _StandIns.hostname,
            "domain": {"devices": {"interfaces": {"macAddress": _StandIns.address}}},
            "volumes": {
                "dataVolume": {"name": _StandIns.claim},
                "persistentVolumeClaim": {"claimName": _StandIns.claim},
                "cloudInitNoCloud": _CLOUD_INIT,
                "cloudInitConfigDrive": _CLOUD_INIT,
            },
        },
    },
}


def twin_key(request: AdmissionRequest) -> bytes:
    """Return bytes that are equal for twins; none for very large machines, and for objects of other kinds."""
    if request.kind != "VirtualMachine":
        return b""
    own = _StandIns(request.resource.namespace, {})
    seen = _with_stand_ins(object_at(request.written, "spec"), _OWN_FIELDS, own)
    try:
        key = marshal.dumps(seen, 2)  # where equal values have equal bytes; a third of the time of repr
    except ValueError:  # for one that is too deep, or a kind of text of our own
        return b""
    return key if len(key) <= _LONGEST else b""


def _with_stand_ins(value: Json, fields: Mapping[str, Any], own: _StandIns) -> Any:  # noqa: ANN401 - Json and stand-ins
    if isinstance(value, list):
        return [_with_stand_ins(element, fields, own) for element in value]
    if not isinstance(value, dict):
        return value
    seen = dict(value)
    for key, below in fields.items():
        if key in seen:
            child = seen[key]
            seen[key] = _with_stand_ins(child, below, own) if isinstance(below, dict) else below(own, child)
    return seen
