"""Virtual machines that the webhooks cannot distinguish: twins, which get one verdict.

The machines of a fleet are mostly alike: they differ in names, addresses, labels, disk sizes and cloud-init
data. The webhooks look at these individual fields in few ways. The key of a machine has a stand-in for each
of them: the same one for all values that no check distinguishes.
"""

from __future__ import annotations

import marshal
from collections.abc import Mapping
from typing import Any

from renderer.kubevirt.admission.network.networks import is_valid_address
from renderer.kubevirt.admission.volumes import fits
from renderer.kubevirt.facts.admission_request import AdmissionRequest
from renderer.kubevirt.facts.cloud_init import CLOUD_INIT_VOLUMES
from renderer.kubevirt.facts.kinds import VM
from renderer.kubevirt.facts.kubernetes_names import dns_label_errors
from renderer.model.kube.json import Json, object_at
from renderer.model.record import Record

#: The maximum length of a key in bytes.
_LONGEST = 20_000


class _StandIns(Record):
    """The stand-ins for fields of one machine; it knows the machine's namespace and numbers the claims."""

    namespace: str
    claims: dict[str, tuple[int]]

    def claim(self, name: Json) -> object:
        """Return the number of a claim: checks only compare the names with each other."""
        return self.claims.setdefault(name, (len(self.claims),)) if isinstance(name, str) and name else name

    def is_own_namespace(self, namespace: Json) -> object:
        """Return True for the machine's namespace; if that is unknown, for any namespace."""
        return (True,) if namespace == self.namespace or not self.namespace else namespace

    def presence(self, value: Json) -> object:
        """Return one stand-in for all values: checks only ask if there is one."""
        return value if value is None else (True,)

    def name(self, name: Json) -> object:
        """Return one stand-in for all names of Secrets."""
        return (True,) if isinstance(name, str) and name else name

    def keys(self, labels: Json) -> object:
        """Return the keys of labels; nobody checks the values."""
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
#: The individual fields in a VirtualMachine's spec, and what the checks see of them.
_OWN_FIELDS = {
    "dataVolumeTemplates": {
        "metadata": {"name": _StandIns.claim, "namespace": _StandIns.is_own_namespace},
        "spec": {
            "sourceRef": _StandIns.presence,
            "storage": {"resources": _StandIns.presence},
            "pvc": {"resources": _StandIns.presence},
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
                **dict.fromkeys(CLOUD_INIT_VOLUMES, _CLOUD_INIT),
            },
        },
    },
}


def twin_key(request: AdmissionRequest) -> bytes:
    """Return bytes that are equal for twins; none for very large machines and for objects of other kinds."""
    if request.kind != VM:
        return b""
    stand_ins = _StandIns(request.resource.namespace, {})
    seen = _with_stand_ins(object_at(request.written, "spec"), _OWN_FIELDS, stand_ins)
    try:
        key = marshal.dumps(seen, 2)  # equal values have equal bytes here; a third of the time of repr
    except ValueError:  # the value is too deep, or has a text type of our own
        return b""
    return key if len(key) <= _LONGEST else b""


def _with_stand_ins(value: Json, fields: Mapping[str, Any], stand_ins: _StandIns) -> Any:  # noqa: ANN401 - Json and stand-ins
    if isinstance(value, list):
        return [_with_stand_ins(element, fields, stand_ins) for element in value]
    if not isinstance(value, dict):
        return value
    seen = dict(value)
    for key, below in fields.items():
        if key in seen:
            child = seen[key]
            seen[key] = (
                _with_stand_ins(child, below, stand_ins)
                if isinstance(below, dict)
                else below(stand_ins, child)
            )
    return seen
