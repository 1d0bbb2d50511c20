"""Repositories with a confidential value: the ways in, and the places to which something takes it.

A repository is a mapping of paths to texts. A way in puts the value where it is confidential, and says of
which field something else may copy it; a carrier copies it, and a place is the field of the copy.
"""

from __future__ import annotations

import json
from base64 import b64encode, encodebytes
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

import yaml

from renderer.model.kube.json import Json

Object: TypeAlias = dict[str, Any]

ORIGIN = "https://example.org/a/b"
#: Every project has them: a catalog, and settings that leave out differences.
SETTINGS: Object = {
    "catalogs": [{"path": "sizes"}],
    "diff": {"ignore": [{"owner": "helm"}, {"kind": "Service", "field": "spec.ports"}]},
}
CATALOG = {
    "sizes/kustomization.yaml": "resources: [sizes.yaml]\n",
    "sizes/sizes.yaml": (
        "{apiVersion: instancetype.kubevirt.io/v1beta1, kind: VirtualMachineClusterInstancetype,"
        " metadata: {name: ours}, spec: {cpu: {guest: 1}, memory: {guest: 1Gi}}}\n"
        "---\n"
        "{apiVersion: instancetype.kubevirt.io/v1beta1, kind: VirtualMachineClusterPreference,"
        " metadata: {name: linux}, spec: {devices: {preferredDiskBus: virtio}}}\n"
    ),
}


@dataclass
class Repository:
    """The files of a project; ``objects`` and ``kustomization`` are those of its overlay ``prod``."""

    objects: list[Object] = field(default_factory=list)
    kustomization: Object = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    entry: Object = field(default_factory=lambda: {"path": "prod"})
    settings: Object = field(default_factory=dict)

    def texts(self, style: str) -> dict[str, str]:
        """Return the files by path; ``style`` is how YAML is written. In one style, it is for a cluster."""
        kustomization = {"resources": ["objects.yaml"], **self.kustomization}
        kustomization["resources"] = [*dict.fromkeys(("objects.yaml", *kustomization["resources"]))]
        project = {
            "apiVersion": "vmrender.io/v1alpha1",
            "kind": "RenderConfig",
            "overlays": [self.entry],
            **SETTINGS,
            **self.settings,
        }
        if style == "JSON":
            project["clusters"] = [{"name": "east", "catalogs": project["catalogs"]}]
            project["overlays"] = [{**self.entry, "cluster": "east"}]
        return {
            **CATALOG,
            "vmrender.yaml": written(project, "block"),
            "prod/kustomization.yaml": written(kustomization, style),
            "prod/objects.yaml": "---\n".join(written(each, style) for each in (*self.objects, reader())),
            **self.files,
        }


def written(value: Json, style: str) -> str:
    """Return an object as YAML in a style: block, flow, JSON, or JSON on lines."""
    if style == "JSON":
        return json.dumps(value) + "\n"
    if style == "JSON on lines":
        return json.dumps(value, indent=2) + "\n"
    return yaml.safe_dump(value, default_flow_style=style == "flow", sort_keys=False, width=200)


STYLES = ("block", "flow", "JSON", "JSON on lines")


def named(kind: str, name: str, **rest: Json) -> Object:
    return {"apiVersion": "v1", "kind": kind, "metadata": {"name": name, "namespace": "a"}, **rest}


def secret(text: str) -> Object:
    return named("Secret", "keys", stringData={"password": text})


def config_map(**data: str) -> Object:
    return named("ConfigMap", "cm", data=data)


def machine(volume: Object | None = None, **domain: Json) -> Object:
    volumes: list[Object] = [{"name": "root", "containerDisk": {"image": "quay.io/a/b:1"}}]
    if volume:
        volumes.append({"name": "init", **volume})
    disks = [{"name": each["name"], "disk": {}} for each in volumes]
    interface = {"name": "default", "masquerade": {}, "macAddress": "02:00:00:00:00:01"}
    template = {
        "metadata": {"annotations": {"note": "x"}, "labels": {"app": "web"}},
        "spec": {
            "hostname": "web",
            "dnsPolicy": "Default",
            "terminationGracePeriodSeconds": 30,
            "domain": {
                "memory": {"guest": "1Gi"},
                "devices": {"disks": disks, "interfaces": [interface]},
                **domain,
            },
            "networks": [{"name": "default", "pod": {}}],
            "volumes": volumes,
        },
    }
    spec = {"runStrategy": "Always", "template": template}
    return {**named("VirtualMachine", "web"), "apiVersion": "kubevirt.io/v1", "spec": spec}


def reader() -> Object:
    """Return a machine that reads the Secret ``keys``, has an instance type, and can be fixed."""
    name = {"secretName": "keys"}
    access = {"source": {"secret": name}, "propagationMethod": {"qemuGuestAgent": {}}}
    template = {
        "spec": {
            "accessCredentials": [{"userPassword": access}],
            "domain": {"devices": {"disks": [{"name": "keys", "disk": {}}]}},
            "volumes": [{"name": "keys", "secret": name}],
        },
    }
    spec = {"running": True, "instancetype": {"name": "ours"}, "template": template}
    made = {**named("VirtualMachine", "reader"), "apiVersion": "kubevirt.io/v1", "spec": spec}
    made["metadata"]["labels"] = {"app": "web"}
    return made


def disk(source: str) -> Object:
    spec: Object = {"storage": {"resources": {"requests": {"storage": "1Gi"}}}}
    spec["source"] = {source: {"url": "x"}}
    return {**named("DataVolume", "disk", spec=spec), "apiVersion": "cdi.kubevirt.io/v1beta1"}


def role() -> Object:
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": {"name": "role"},
        "rules": [],
    }


def size() -> Object:
    return {
        "apiVersion": "instancetype.kubevirt.io/v1beta1",
        "kind": "VirtualMachineClusterInstancetype",
        "metadata": {"name": "sized", "annotations": {"openshift.io/display-name": "x"}},
        "spec": {"cpu": {"guest": 1, "model": "x"}, "memory": {"guest": "1Gi"}},
    }


# The ways in. Each returns the field from which the value may be copied, or None.

Source: TypeAlias = dict[str, str]
_KEYS = {"kind": "Secret", "name": "keys", "fieldPath": "stringData.password"}
_KEYS_DATA = {**_KEYS, "fieldPath": "data.password"}
_INIT = {"kind": "VirtualMachine", "name": "web", "fieldPath": "spec.template.spec.volumes.1"}


def string_data(repository: Repository, text: str) -> Source:
    repository.objects.append(secret(text))
    return _KEYS


def data(repository: Repository, text: str) -> Source:
    encoded = b64encode(text.encode("utf-8", "surrogatepass")).decode()
    repository.objects.append(named("Secret", "keys", data={"password": encoded}))
    return _KEYS_DATA


def data_on_lines(repository: Repository, text: str) -> Source:
    encoded = encodebytes(text.encode()).decode()
    repository.objects.append(named("Secret", "keys", data={"password": encoded}))
    return _KEYS_DATA


def copied_by_kubectl(repository: Repository, text: str) -> None:
    copy = json.dumps(secret(text))
    annotated = config_map(x="y")
    annotated["metadata"]["annotations"] = {"kubectl.kubernetes.io/last-applied-configuration": copy}
    repository.objects.append(annotated)


def copied_by_kapp(repository: Repository, text: str) -> None:
    annotated = machine()
    annotated["metadata"]["annotations"] = {"kapp.k14s.io/original": json.dumps(secret(text))}
    repository.objects.append(annotated)


def generated(**options: str) -> Callable[[Repository, str], Source]:
    """The value in a ``secretGenerator``."""

    def way(repository: Repository, text: str) -> Source:
        entry: Object = {"name": "keys", "namespace": "a"}
        for option, value in options.items():
            entry[option] = [f"{value}{text}" if option == "literals" else value]
        if "files" in options:
            repository.files["prod/password"] = text
        if "envs" in options:
            repository.files["prod/secret.env"] = f"password={text}\n"
        repository.kustomization["secretGenerator"] = [entry]
        return _KEYS_DATA

    return way


def merged_generator(repository: Repository, text: str) -> Source:
    repository.files["base/kustomization.yaml"] = (
        "secretGenerator: [{name: keys, namespace: a, literals: [password=other-than-that]}]\n"
    )
    repository.kustomization["resources"] = ["../base"]
    entry = {"name": "keys", "namespace": "a", "behavior": "merge", "literals": [f"password={text}"]}
    repository.kustomization["secretGenerator"] = [entry]
    return _KEYS_DATA


def strategic_patch(repository: Repository, text: str) -> Source:
    repository.objects.append(secret("other-than-that"))
    repository.kustomization["patches"] = [{"patch": json.dumps(secret(text))}]
    return _KEYS


def json_patch(repository: Repository, text: str) -> Source:
    repository.objects.append(secret("other-than-that"))
    operations = [{"op": "replace", "path": "/stringData/password", "value": text}]
    repository.kustomization["patches"] = [{"target": {"kind": "Secret"}, "patch": json.dumps(operations)}]
    return _KEYS


def patch_of_a_pattern(repository: Repository, text: str) -> Source:
    """A patch for the kinds that a regular expression matches."""
    repository.objects.append(secret("other-than-that"))
    operations = [{"op": "add", "path": "/stringData/password", "value": text}]
    patch = {"target": {"kind": "Sec.*|ConfigMap", "name": "keys"}, "patch": json.dumps(operations)}
    repository.kustomization["patches"] = [patch]
    return _KEYS


def patch_under_path(repository: Repository, text: str) -> None:
    """A patch where the path of one belongs."""
    repository.objects.append(secret("other-than-that"))
    patch = {"target": {"kind": "Secret"}, "path": json.dumps(secret(text))}
    repository.kustomization["patches"] = [patch]


def literal_among_files(field: str) -> Callable[[Repository, str], None]:
    """A literal of a ``secretGenerator`` where the paths of files belong."""

    def way(repository: Repository, text: str) -> None:
        entry = {"name": "keys", "namespace": "a", field: [f"password={text}"]}
        repository.kustomization["secretGenerator"] = [entry]

    return way


def misspelt(kind: str) -> Callable[[Repository, str], None]:
    def way(repository: Repository, text: str) -> None:
        encoded = b64encode(text.encode("utf-8", "surrogatepass")).decode()
        repository.objects.append(named(kind, "keys", data={"password": encoded}))

    return way


def patch_file(repository: Repository, text: str) -> Source:
    repository.objects.append(secret("other-than-that"))
    repository.files["prod/patch.yaml"] = written(secret(text), "block")
    repository.kustomization["patches"] = [{"path": "patch.yaml"}]
    return _KEYS


def moved_by_patch(repository: Repository, text: str) -> None:
    annotated = secret(text)
    annotated["metadata"]["annotations"] = {"a": "b"}
    repository.objects.append(annotated)
    operations = [
        {"op": "move", "from": "/stringData/password", "path": "/metadata/annotations/a"},
        {"op": "remove", "path": "/stringData"},
    ]
    repository.kustomization["patches"] = [{"target": {"kind": "Secret"}, "patch": json.dumps(operations)}]


def of_a_component(repository: Repository, text: str) -> Source:
    repository.files["part/kustomization.yaml"] = written(
        {
            "apiVersion": "kustomize.config.k8s.io/v1alpha1",
            "kind": "Component",
            "resources": ["secret.yaml"],
        },
        "block",
    )
    repository.files["part/secret.yaml"] = written(secret(text), "block")
    repository.kustomization["components"] = ["../part"]
    return _KEYS


def in_a_list(repository: Repository, text: str) -> Source:
    repository.objects.append({"apiVersion": "v1", "kind": "List", "items": [secret(text)]})
    return _KEYS


def start_data(key: str, section: str = "cloudInitNoCloud") -> Callable[[Repository, str], Source]:
    def way(repository: Repository, text: str) -> Source:
        value = b64encode(text.encode()).decode() if key.endswith("Base64") else text
        repository.objects.append(machine({section: {key: value}}))
        return {**_INIT, "fieldPath": f"{_INIT['fieldPath']}.{section}.{key}"}

    return way


def ignition(repository: Repository, text: str) -> Source:
    with_data = machine()
    with_data["spec"]["template"]["metadata"]["annotations"]["kubevirt.io/ignitiondata"] = text
    repository.objects.append(with_data)
    path = r"spec.template.metadata.annotations.kubevirt\.io/ignitiondata"
    return {"kind": "VirtualMachine", "name": "web", "fieldPath": path}


def answer_file(repository: Repository, text: str) -> Source:
    repository.objects.append(named("ConfigMap", "answers", data={"Autounattend.xml": text}))
    return {"kind": "ConfigMap", "name": "answers", "fieldPath": r"data.Autounattend\.xml"}


def launch_security(repository: Repository, text: str) -> Source:
    repository.objects.append(machine(launchSecurity={"sev": {"session": text, "dhCert": text}}))
    path = "spec.template.spec.domain.launchSecurity.sev.session"
    return {"kind": "VirtualMachine", "name": "web", "fieldPath": path}


def of_a_policy(repository: Repository, text: str) -> None:
    definition = {"complianceType": "musthave", "objectDefinition": secret(text)}
    policy = {
        "apiVersion": "policy.open-cluster-management.io/v1",
        "kind": "ConfigurationPolicy",
        "metadata": {"name": "p", "namespace": "a"},
        "spec": {"object-templates": [definition]},
    }
    repository.objects.append(policy)


def of_a_work(repository: Repository, text: str) -> None:
    work = {
        "apiVersion": "work.open-cluster-management.io/v1",
        "kind": "ManifestWork",
        "metadata": {"name": "w", "namespace": "a"},
        "spec": {"workload": {"manifests": [secret(text)]}},
    }
    repository.objects.append(work)


def of_a_manifest_in_a_config_map(repository: Repository, text: str) -> None:
    repository.objects.append(config_map(manifest=written(secret(text), "block")))


def of_a_patch_of_argocd(repository: Repository, text: str) -> None:
    patches = [{"target": {"kind": "Secret"}, "patch": json.dumps(secret(text))}]
    application = {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": "app", "namespace": "argocd"},
        "spec": {
            "project": "default",
            "destination": {"namespace": "a", "server": "https://kubernetes.default.svc"},
            "source": {"repoURL": ORIGIN, "path": "x", "kustomize": {"patches": patches}},
        },
    }
    repository.objects.append(application)


def of_a_patch_of_flux(repository: Repository, text: str) -> None:
    encoded = b64encode(text.encode("utf-8", "surrogatepass")).decode()
    operations = [{"op": "add", "path": "/data/password", "value": encoded}]
    made = json.loads(json.dumps(_FLUX))
    made["spec"] = {
        "path": "./elsewhere",
        "sourceRef": {"kind": "GitRepository", "name": "elsewhere"},
        "patches": [{"target": {"kind": "^Secret$"}, "patch": json.dumps(operations)}],
    }
    repository.objects.append(made)


def of_a_patch_of_kyverno(repository: Repository, text: str) -> None:
    encoded = b64encode(text.encode("utf-8", "surrogatepass")).decode()
    mutate = {"patchStrategicMerge": {"data": {"password": encoded}}}
    match = {"any": [{"resources": {"kinds": ["Sec*"]}}]}
    policy = {
        "apiVersion": "kyverno.io/v1",
        "kind": "ClusterPolicy",
        "metadata": {"name": "p"},
        "spec": {"rules": [{"name": "r", "match": match, "mutate": mutate}]},
    }
    repository.objects.append(policy)


def of_a_plugin(repository: Repository, text: str) -> None:
    parameters = [
        {"name": "password", "string": text},
        {"name": "tokens", "array": [text]},
        {"name": "settings", "map": {"adminPassword": text}},
    ]
    application = {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": "app", "namespace": "argocd"},
        "spec": {
            "project": "default",
            "destination": {"namespace": "a", "server": "https://kubernetes.default.svc"},
            "source": {"repoURL": ORIGIN, "path": "x", "plugin": {"parameters": parameters}},
        },
    }
    repository.objects.append(application)


def of_a_fake(repository: Repository, text: str) -> None:
    fake = {
        "apiVersion": "generators.external-secrets.io/v1alpha1",
        "kind": "Fake",
        "metadata": {"name": "f", "namespace": "a"},
        "spec": {"data": {"value": text}},
    }
    repository.objects.append(fake)


def of_helm_values(repository: Repository, text: str) -> None:
    release = {
        "apiVersion": "helm.toolkit.fluxcd.io/v2",
        "kind": "HelmRelease",
        "metadata": {"name": "r", "namespace": "a"},
        "spec": {"chart": {"spec": {"chart": "x"}}, "values": {"db": {"password": text}}},
    }
    repository.objects.append(release)


def of_a_template_of_kubevirt(repository: Repository, text: str) -> None:
    script = "#cloud-config\nchpasswd: {expire: false}\npassword: ${PASSWORD}\n"
    virtual_machine = machine({"cloudInitNoCloud": {"userData": script}})
    template_ = {
        "apiVersion": "template.kubevirt.io/v1alpha1",
        "kind": "VirtualMachineTemplate",
        "metadata": {"name": "t", "namespace": "a"},
        "spec": {"parameters": [{"name": "PASSWORD", "value": text}], "virtualMachine": virtual_machine},
    }
    repository.objects.append(template_)


def access_credential(repository: Repository, text: str) -> None:
    """A value where the names of users are expected."""
    method = {"qemuGuestAgent": {"users": [text]}}
    key = {"source": {"secret": {"secretName": "keys"}}, "propagationMethod": method}
    with_key = machine()
    with_key["spec"]["template"]["spec"]["accessCredentials"] = [{"sshPublicKey": key}]
    repository.objects.append(with_key)


def of_an_operator(repository: Repository, text: str) -> None:
    repository.objects.append(
        {
            "apiVersion": "metallb.io/v1beta2",
            "kind": "BGPPeer",
            "metadata": {"name": "p", "namespace": "a"},
            "spec": {"myASN": 64500, "peerASN": 64501, "peerAddress": "10.0.0.1", "password": text},
        }
    )


def of_a_resource_set(repository: Repository, text: str) -> None:
    """A Secret that the Flux operator makes, without inputs."""
    repository.objects.append(resource_set({"resources": [secret(text)]}))


def resource_set(spec: Object) -> Object:
    return {
        "apiVersion": "fluxcd.controlplane.io/v1",
        "kind": "ResourceSet",
        "metadata": {"name": "r", "namespace": "a"},
        "spec": spec,
    }


def encrypted(repository: Repository, text: str) -> None:
    """What SOPS writes: the ciphertext is as confidential as the value."""
    data = b64encode(text.encode()).decode()
    cipher = secret(f"ENC[AES256_GCM,data:{data},iv:eA==,tag:eA==,type:str]")
    cipher["sops"] = {"mac": f"ENC[AES256_GCM,data:{data},iv:eA==,tag:eA==,type:str]", "version": "3.9.0"}
    repository.objects.append(cipher)


WAYS: Mapping[str, Callable[[Repository, str], Source | None]] = {
    "stringData": string_data,
    "data": data,
    "data on lines": data_on_lines,
    "literals": generated(literals="password="),
    "files": generated(files="password=password"),
    "envs": generated(envs="secret.env"),
    "merged generator": merged_generator,
    "strategic patch": strategic_patch,
    "JSON patch": json_patch,
    "patch of a pattern": patch_of_a_pattern,
    "patch under path": patch_under_path,
    "literal among envs": literal_among_files("envs"),
    "literal among files": literal_among_files("files"),
    "misspelt": misspelt("Secert"),
    "misspelt in case": misspelt("SECRET"),
    "patch in a file": patch_file,
    "moved by a patch": moved_by_patch,
    "component": of_a_component,
    "List": in_a_list,
    "userData": start_data("userData"),
    "userDataBase64": start_data("userDataBase64"),
    "networkData": start_data("networkData", "cloudInitConfigDrive"),
    "Ignition": ignition,
    "answer file": answer_file,
    "launch security": launch_security,
    "copy of kubectl": copied_by_kubectl,
    "copy of kapp": copied_by_kapp,
    "policy": of_a_policy,
    "ManifestWork": of_a_work,
    "manifest in a ConfigMap": of_a_manifest_in_a_config_map,
    "patch of an Application": of_a_patch_of_argocd,
    "patch of a Kustomization": of_a_patch_of_flux,
    "patch of a policy": of_a_patch_of_kyverno,
    "parameter of a plugin": of_a_plugin,
    "generator of External Secrets": of_a_fake,
    "values of a chart": of_helm_values,
    "parameter of a VirtualMachineTemplate": of_a_template_of_kubevirt,
    "SOPS": encrypted,
    "access credential": access_credential,
    "operator": of_an_operator,
    "ResourceSet": of_a_resource_set,
}

#: Ways in that are about start data, not about a Secret.
START_DATA = frozenset(
    {"userData", "userDataBase64", "networkData", "Ignition", "answer file", "launch security"}
)

# Credentials in the text of any field: all else of the text is shown.


def in_a_machine(path: str, text: str) -> Callable[[Repository, str], None]:
    def way(repository: Repository, word: str) -> None:
        made = machine()
        set_at(made, path, text.replace("WORD", word))
        repository.objects.append(made)

    return way


def in_a_data_volume(source: Object) -> Callable[[Repository, str], None]:
    def way(repository: Repository, word: str) -> None:
        volume = {
            "apiVersion": "cdi.kubevirt.io/v1beta1",
            "kind": "DataVolume",
            "metadata": {"name": "d", "namespace": "a"},
            "spec": {"source": source, "storage": {"resources": {"requests": {"storage": "1Gi"}}}},
        }
        repository.objects.append(json.loads(json.dumps(volume).replace("WORD", word)))

    return way


def in_a_webhook(spec: Object) -> Callable[[Repository, str], None]:
    def way(repository: Repository, word: str) -> None:
        webhook = {
            "apiVersion": "generators.external-secrets.io/v1alpha1",
            "kind": "Webhook",
            "metadata": {"name": "w", "namespace": "a"},
            "spec": {"url": "https://example.org/x", **spec},
        }
        repository.objects.append(json.loads(json.dumps(webhook).replace("WORD", word)))

    return way


_BOOT = {"kernelBoot": {"container": {"image": "a/b:1", "kernelPath": "/k"}}}
_ARGUMENTS = "spec.template.spec.domain.firmware.kernelBoot.kernelArgs"


def in_kernel_arguments(text: str) -> Callable[[Repository, str], None]:
    def way(repository: Repository, word: str) -> None:
        made = machine(firmware=json.loads(json.dumps(_BOOT)))
        set_at(made, _ARGUMENTS, text.replace("WORD", word))
        repository.objects.append(made)

    return way


CREDENTIALS: Mapping[str, Callable[[Repository, str], None]] = {
    "image with a user": in_a_machine(
        "spec.template.spec.volumes.0.containerDisk.image", "app:WORD@registry.example.org/a/b:1"
    ),
    "token of a registry": in_a_data_volume({"registry": {"url": "docker://WORD@registry.example.org/a/b"}}),
    "user of a registry": in_a_data_volume({"registry": {"url": "docker://app:WORD@registry.example.org/b"}}),
    "header of a download": in_a_data_volume(
        {"http": {"url": "https://example.org/a.img", "extraHeaders": ["Authorization: Bearer WORD"]}}
    ),
    "any header of a download": in_a_data_volume(
        {"http": {"url": "https://example.org/a.img", "extraHeaders": ["X-My-Thing: WORD"]}}
    ),
    "header of a webhook": in_a_webhook({"headers": {"Authorization": "Bearer WORD", "X-Api-Key": "WORD"}}),
    "body of a webhook": in_a_webhook({"body": "user=app&password=WORD"}),
    "token of any object": in_a_webhook({"authToken": "WORD"}),
    "signed address": in_a_data_volume(
        {"s3": {"url": "https://b.s3.amazonaws.com/a.img?X-Amz-Signature=WORD"}}
    ),
    "address in an annotation": in_a_machine(
        "metadata.annotations.note", "see https://app:WORD@example.org/"
    ),
    "address in an annotation of a template": in_a_machine(
        "spec.template.metadata.annotations.note", "git+https://WORD@example.org/a/b.git"
    ),
    "password of a kernel": in_kernel_arguments("console=ttyS0 inst.rootpw=WORD quiet"),
    "password of iSCSI": in_kernel_arguments("rd.iscsi.password=WORD root=/dev/sda"),
    "address of a kernel": in_kernel_arguments("inst.ks=https://app:WORD@example.org/ks.cfg"),
}

# The places: an object, and the field to which the value is taken.

PLACES: Mapping[str, tuple[Callable[[], Object], str]] = {
    "ConfigMap": (lambda: config_map(motto="x"), "data.motto"),
    "text with a delimiter": (lambda: config_map(motto="a|b|c"), "data.motto"),
    "name": (lambda: named("Service", "svc", spec={"clusterIP": "None"}), "metadata.name"),
    "namespace": (lambda: named("Service", "svc", spec={"clusterIP": "None"}), "metadata.namespace"),
    "name of a machine": (machine, "metadata.name"),
    "annotation": (machine, "spec.template.metadata.annotations.note"),
    "label": (machine, "spec.template.metadata.labels.app"),
    "refused": (machine, "spec.template.spec.dnsPolicy"),
    "host name": (machine, "spec.template.spec.hostname"),
    "number": (machine, "spec.template.spec.terminationGracePeriodSeconds"),
    "quantity": (machine, "spec.template.spec.domain.memory.guest"),
    "image": (machine, "spec.template.spec.volumes.0.containerDisk.image"),
    "MAC address": (machine, "spec.template.spec.domain.devices.interfaces.0.macAddress"),
    "address of a file": (lambda: disk("http"), "spec.source.http.url"),
    "image in a registry": (lambda: disk("registry"), "spec.source.registry.url"),
    "name of a role": (role, "metadata.name"),
    "name of a disk": (machine, "spec.template.spec.domain.devices.disks.0.name"),
    "name of a size": (machine, "spec.instancetype.name"),
    "model of a size": (size, "spec.cpu.model"),
    "title of a size": (size, r"metadata.annotations.openshift\.io/display-name"),
    "name of a size of the project": (size, "metadata.name"),
}

#: Places for names of objects, which are shown: only the way by which a value comes there makes it one.
NAMES = frozenset(
    {"name", "namespace", "name of a machine", "name of a role", "name of a size of the project"}
)


class Copy(NamedTuple):
    """A value is taken from a field to a place; ``text`` is the value."""

    source: Source
    place: str
    text: str


Carrier: TypeAlias = Callable[[Repository, Copy], None]


def repeated(repository: Repository, copy: Copy) -> None:
    """Write the value a second time, where nothing says that it is one."""
    if copy.source["kind"] == "Secret" and copy.place not in NAMES:
        written_at, path = _place(repository, copy)
        set_at(written_at, path, copy.text)


def copied(repository: Repository, copy: Copy) -> None:
    _replace(repository, copy)


def copied_into(repository: Repository, copy: Copy) -> None:
    into = copy._replace(place="text with a delimiter")
    _replace(repository, into, target_options={"delimiter": "|", "index": 1})


def copied_part(delimiter: str, index: int) -> Carrier:
    def carrier(repository: Repository, copy: Copy) -> None:
        _replace(repository, copy, {"delimiter": delimiter, "index": index})

    return carrier


def copied_twice(repository: Repository, copy: Copy) -> None:
    """Copy the value, and a part of the copy."""
    repository.objects.append(named("ConfigMap", "between", data={"motto": "x"}))
    targets = [{"select": {"kind": "ConfigMap", "name": "between"}, "fieldPaths": ["data.motto"]}]
    whole = {"source": copy.source, "targets": targets}
    repository.kustomization["replacements"] = [*repository.kustomization.get("replacements", ()), whole]
    between = {"kind": "ConfigMap", "name": "between", "fieldPath": "data.motto"}
    _replace(repository, copy._replace(source=between), {"delimiter": ":", "index": 1})


def as_variable(repository: Repository, copy: Copy) -> None:
    """Use ``vars`` of kustomize."""
    at, path = _place(repository, copy)
    kind = at["kind"]
    repository.kustomization["vars"] = [
        {
            "name": "PW",
            "objref": {
                "apiVersion": "kubevirt.io/v1" if copy.source["kind"] == "VirtualMachine" else "v1",
                "kind": copy.source["kind"],
                "name": copy.source["name"],
            },
            "fieldref": {"fieldpath": copy.source["fieldPath"]},
        }
    ]
    fields = {"varReference": [{"kind": kind, "path": path.replace(".", "/")}]}
    repository.files["prod/fields.yaml"] = written(fields, "block")
    repository.kustomization["configurations"] = ["fields.yaml"]
    operations = [{"op": "add", "path": f"/{path.replace('.', '/')}", "value": "x$(PW)"}]
    patch = {"target": {"kind": kind}, "patch": json.dumps(operations)}
    repository.kustomization["patches"] = [*repository.kustomization.get("patches", ()), patch]


def _replace(
    repository: Repository,
    copy: Copy,
    source_options: Object | None = None,
    target_options: Object | None = None,
) -> None:
    at, path = _place(repository, copy)
    target = {
        "select": {"kind": at["kind"], "name": at["metadata"]["name"]},
        "fieldPaths": [path],
        "options": {"create": "instancetype" in path, **(target_options or {})},
    }
    entry = {"source": {**copy.source, "options": source_options or {}}, "targets": [target]}
    repository.kustomization["replacements"] = [*repository.kustomization.get("replacements", ()), entry]


def _place(repository: Repository, copy: Copy) -> tuple[Object, str]:
    """Return the object with a place, and the place. Add it unless there is one of its name."""
    new, path = PLACES[copy.place]
    at = new()
    if at["kind"] == size()["kind"]:
        repository.settings["catalogs"] = [{"path": "prod"}, *SETTINGS["catalogs"]]
    for each in repository.objects:
        if each["kind"] == at["kind"] and each.get("metadata", {}).get("name") == at["metadata"]["name"]:
            return each, path
    repository.objects.append(at)
    return at, path


def set_at(value: Any, path: str, text: str) -> None:  # noqa: ANN401 - a list or a mapping
    """Put a text at a path of a replacement, in place."""
    *above, last = (part.replace("\0", ".") for part in path.replace(r"\.", "\0").split("."))
    for part in above:
        value = value[int(part)] if isinstance(value, list) else value.setdefault(part, {})
    value[int(last) if isinstance(value, list) else last] = text


CARRIERS: Mapping[str, Carrier] = {
    "repeated": repeated,
    "copied": copied,
    "copied into a text": copied_into,
    "part after a colon": copied_part(":", 1),
    "part after an equals sign": copied_part("=", 1),
    "part after a space": copied_part(" ", 0),
    "copied twice": copied_twice,
    "variable": as_variable,
}

# Engines that put a value into text, which is read as YAML again.

#: What is around the value in the text: ``VALUE`` stands for the engine's expression.
CONTEXTS: Mapping[str, str] = {
    "alone": "{name}: VALUE",
    "in double quotes": '{name}: "VALUE"',
    "in single quotes": "{name}: 'VALUE'",
    "after text": "{name}: x-VALUE",
    "element": "{name}: [a, VALUE]",
    "key": "{name}: {{ VALUE: x }}",
    "on lines": "{name}: |\n    a\n    VALUE\n    b",
    "folded": "{name}: >-\n    a VALUE b",
}
_THING = "apiVersion: example.com/v1\nkind: Thing\nmetadata: {{name: cm, namespace: a}}\nspec:\n  {}\n"


def thing(context: str, expression: str) -> str:
    """Return an object with an expression in its ``spec``, in a context."""
    return _THING.format(CONTEXTS[context].format(name="motto").replace("VALUE", expression))


_FLUX: Object = {
    "apiVersion": "kustomize.toolkit.fluxcd.io/v1",
    "kind": "Kustomization",
    "metadata": {"name": "f", "namespace": "a"},
    "spec": {
        "path": "./prod",
        "sourceRef": {"kind": "GitRepository", "name": "flux-system"},
        "postBuild": {"substituteFrom": [{"kind": "Secret", "name": "keys"}]},
    },
}
_GIT: Object = {
    "apiVersion": "source.toolkit.fluxcd.io/v1",
    "kind": "GitRepository",
    "metadata": {"name": "flux-system", "namespace": "a"},
    "spec": {"url": ORIGIN},
}


def flux(expression: str, *, encoded: bool = False) -> Callable[[Repository, str, str], None]:
    def engine(repository: Repository, text: str, context: str) -> None:
        source: Object = secret(text)
        if encoded:
            source = named("Secret", "keys", data={"password": encodebytes(text.encode()).decode()})
        repository.files["secret.yaml"] = written(source, "block")
        repository.files["flux.yaml"] = written(_FLUX, "block")
        repository.files["prod/thing.yaml"] = thing(context, expression)
        repository.kustomization["resources"] = ["thing.yaml"]
        options = {"kustomization": "flux.yaml", "resources": ["secret.yaml"], "secrets": True}
        repository.entry["flux"] = options

    return engine


def flux_cluster(repository: Repository, text: str, context: str) -> None:
    flux("${password}")(repository, text, context)
    for path in ("flux.yaml", "secret.yaml"):
        repository.files[f"clusters/a/{path}"] = repository.files.pop(path)
    repository.files["clusters/a/git.yaml"] = written(_GIT, "block")
    repository.entry = {"flux": "clusters/a", "secrets": True}
    repository.settings["repositories"] = [ORIGIN]


def openshift(expression: str, given: str) -> Callable[[Repository, str, str], None]:
    """A parameter of an OpenShift Template; ``given`` is where its value is."""

    def engine(repository: Repository, text: str, context: str) -> None:
        parameter: Object = {"name": "PASSWORD"}
        parameters: Object = {}
        if given == "in the Template":
            parameter["value"] = text
        else:
            parameters["PASSWORD"] = text
        value = json.loads(json.dumps(yaml.safe_load(thing(context, "EXPRESSION"))))
        objects = [secret("a ${PASSWORD}"), _with_expression(value, expression)]
        template = {
            "apiVersion": "template.openshift.io/v1",
            "kind": "Template",
            "metadata": {"name": "t"},
            "parameters": [parameter, {"name": "OTHER", "value": "x"}],
            "objects": objects,
        }
        repository.objects.append(template)
        repository.entry["parameters"] = {"OTHER": "y", **parameters}

    return engine


def _with_expression(value: Json, expression: str) -> Json:
    if isinstance(value, dict):
        return {
            k.replace("EXPRESSION", expression): _with_expression(v, expression) for k, v in value.items()
        }
    if isinstance(value, list):
        return [_with_expression(each, expression) for each in value]
    return value.replace("EXPRESSION", expression) if isinstance(value, str) else value


def template(expression: str, given: str = "values") -> Callable[[Repository, str, str], None]:
    """A Template of ours that makes a Secret; ``given`` is where its value is."""

    def engine(repository: Repository, text: str, context: str) -> None:
        spec: Object = {"template": "t.j2"}
        if given == "values":
            spec["values"] = {"pw": text}
        elif given == "matrix":
            spec["matrix"] = {"pw": [text]}
        else:
            spec["valuesFrom"] = [{"file": "values.yaml"}]
            repository.files["prod/values.yaml"] = written({"pw": text}, "block")
        made: Object = {
            "apiVersion": "vmrender.io/v1alpha1",
            "kind": "Template",
            "metadata": {"name": "t"},
            "spec": spec,
        }
        repository.files["prod/t.yaml"] = written(made, "block")
        keys = written(secret("EXPRESSION"), "block").replace("EXPRESSION", "{{ pw | tojson }}")
        repository.files["prod/t.j2"] = f"{keys}---\n{thing(context, expression)}"
        repository.kustomization["generators"] = ["t.yaml"]

    return engine


def of_inputs(expression: str, given: str) -> Callable[[Repository, str, str], None]:
    """Inputs of a ResourceSet that makes a Secret, and a Kustomization with a variable."""

    def engine(repository: Repository, text: str, context: str) -> None:
        made = json.loads(json.dumps(_FLUX))
        made["spec"]["postBuild"] = {"substitute": {"password": expression}}
        spec: Object = {}
        objects = [secret("<< inputs.pw | quote >>"), made]
        if given != "provider":
            spec["inputs"] = [{"pw": text}]
        else:
            spec["inputsFrom"] = [{"kind": "ResourceSetInputProvider", "name": "i"}]
            provider: Object = {
                "apiVersion": "fluxcd.controlplane.io/v1",
                "kind": "ResourceSetInputProvider",
                "metadata": {"name": "i", "namespace": "a"},
                "spec": {"type": "Static", "defaultValues": {"pw": text}},
            }
            repository.files["all/provider.yaml"] = written(provider, "block")
        if given == "inputs in a text":
            spec["resourcesTemplate"] = "---\n".join(written(each, "block") for each in objects)
        else:
            spec["resources"] = objects
        repository.files["all/set.yaml"] = written(resource_set(spec), "block")
        whole = json.loads(json.dumps(_FLUX))
        whole["metadata"]["name"] = "all"
        whole["spec"] = {**whole["spec"], "path": "./all", "postBuild": {}}
        repository.files["clusters/a/all.yaml"] = written(whole, "block")
        repository.files["clusters/a/git.yaml"] = written(_GIT, "block")
        repository.files["prod/thing.yaml"] = thing(context, "${password}")
        repository.kustomization["resources"] = ["thing.yaml"]
        repository.entry = {"flux": "clusters/a", "secrets": True}
        repository.settings["repositories"] = [ORIGIN]

    return engine


def openshift_machine(repository: Repository, text: str, context: str) -> None:
    """A Template with a machine, which may become a VirtualMachineTemplate."""
    script = "#cloud-config\npassword: ${PASSWORD}\n"
    virtual_machine = machine({"cloudInitNoCloud": {"userData": script}})
    virtual_machine["metadata"] = {"name": "${NAME}", "annotations": {"note": "${PASSWORD}"}}
    template_ = {
        "apiVersion": "template.openshift.io/v1",
        "kind": "Template",
        "metadata": {"name": "t", "namespace": "a"},
        "parameters": [{"name": "PASSWORD", "value": text}, {"name": "NAME", "value": "web"}],
        "objects": [virtual_machine],
    }
    repository.objects.append(template_)
    repository.files["prod/thing.yaml"] = thing(context, "x")
    repository.kustomization["resources"] = ["thing.yaml"]


ENGINES: Mapping[str, Callable[[Repository, str, str], None]] = {
    "Flux": flux("${password}"),
    "Flux, from base64 on lines": flux("${password}", encoded=True),
    "Flux, with an operator": flux("${password:2}"),
    "Flux, with a default": flux("${other:=${password}}"),
    "Flux, replaced": flux("${password/is/was}"),
    "Flux, a part": flux("${password#*:}"),
    "Flux, a cluster": flux_cluster,
    "OpenShift": openshift("${PASSWORD}", "in vmrender.yaml"),
    "OpenShift, any value": openshift("${{PASSWORD}}", "in vmrender.yaml"),
    "OpenShift, its own": openshift("${PASSWORD}", "in the Template"),
    "OpenShift, its own, any value": openshift("${{PASSWORD}}", "in the Template"),
    "Template": template("{{ pw }}"),
    "Template, encoded": template("{{ pw | b64encode }}"),
    "Template, split": template("{{ pw.split(':') | last }}"),
    "Template, in JSON": template("{{ pw | tojson }}"),
    "Template, of a matrix": template("{{ pw }}", "matrix"),
    "Template, of a file": template("{{ pw }}", "file"),
    "inputs of a ResourceSet": of_inputs("<< inputs.pw | quote >>", "inputs"),
    "inputs of a text": of_inputs("<< inputs.pw | quote >>", "inputs in a text"),
    "inputs of a provider": of_inputs("<< inputs.pw | quote >>", "provider"),
    "inputs, encoded": of_inputs("<< inputs.pw | b64enc | quote >>", "inputs"),
    "OpenShift, a machine": openshift_machine,
}
