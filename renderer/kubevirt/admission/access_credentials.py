"""SSH keys and passwords that KubeVirt puts into the guest."""

from __future__ import annotations

from renderer.kubevirt.admission.causes import Causes, invalid
from renderer.kubevirt.admission.vmi_spec import VmiSpec, elements, has, section, texts
from renderer.kubevirt.facts.cloud_init import CONFIG_DRIVE, NO_CLOUD
from renderer.kubevirt.facts.cluster import Cluster
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import JsonObject

#: The volume that each way of propagating SSH keys needs.
_VOLUMES = {"noCloud": NO_CLOUD, "configDrive": CONFIG_DRIVE}
_SSH_METHODS = ("noCloud", "configDrive", "qemuGuestAgent")
_PASSWORD_METHODS = ("qemuGuestAgent",)
_MOST = 256
_KINDS = ("sshPublicKey", "userPassword")


def check_number_of_access_credentials(vmi: VmiSpec, cluster: Cluster) -> Causes:
    """Check access credentials; skip them if there are more than 256."""
    count = len(elements(vmi.content, "accessCredentials"))
    if count > _MOST:
        message = f"there are {count} accessCredentials; {_MOST} are allowed"
        yield invalid(vmi.at("accessCredentials"), message)
    else:
        yield from check_access_credentials(vmi, cluster)


def check_access_credentials(vmi: VmiSpec, _: Cluster) -> Causes:
    """Check the source and the propagation method of each SSH key and password."""
    for index, credential in enumerate(elements(vmi.content, "accessCredentials")):
        at = vmi.at("accessCredentials", index)
        if has(credential, "sshPublicKey"):
            key = section(credential, "sshPublicKey")
            yield from _check_ssh_methods(vmi, at.child("sshPublicKey"), key)
            yield from _check_one_each(at.child("sshPublicKey"), key, _SSH_METHODS)
        if has(credential, "userPassword"):
            password = section(credential, "userPassword")
            yield from _check_one_each(at.child("userPassword"), password, _PASSWORD_METHODS)
        if sum(has(credential, kind) for kind in _KINDS) != 1:
            yield invalid(at, "an access credential is one of sshPublicKey and userPassword")


def _check_ssh_methods(vmi: VmiSpec, at: FieldPath, key: JsonObject) -> Causes:
    methods = section(key, "propagationMethod")
    at = at.child("propagationMethod")
    for method, source in _VOLUMES.items():
        if has(methods, method) and not any(has(volume, source) for volume in vmi.volumes):
            yield invalid(at, f"the propagationMethod {method} needs a {source} volume")
    if has(methods, "qemuGuestAgent") and not texts(section(methods, "qemuGuestAgent"), "users"):
        yield invalid(at.child("qemuGuestAgent", "users"), "qemuGuestAgent needs at least one user")


def _check_one_each(at: FieldPath, credential: JsonObject, methods: tuple[str, ...]) -> Causes:
    if not has(section(credential, "source"), "secret"):
        yield invalid(at.child("source"), "the credential has no source", "set source.secret")
    methods_written = section(credential, "propagationMethod")
    if sum(has(methods_written, method) for method in methods) != 1:
        yield invalid(at.child("propagationMethod"), f"propagationMethod needs one of {', '.join(methods)}")
