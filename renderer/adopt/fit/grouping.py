"""Make a base and patches for VirtualMachines that have much in common: ``import --group-by LABEL``.

The base has the fields whose values are equal in all VMs of a group; lists count as a whole. The patch of a
VM adds the rest and its name. So no patch removes anything or changes a part of a list, and the result is the
same for ``kustomize``, in which a patch replaces KubeVirt's lists, and for projects that merge these lists by
key. Each patch is merged as a test before it is returned. If a strategic merge does not reproduce the VM (a
null, a field that begins with ``$``), a JSON 6902 patch replaces it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from renderer.kubevirt.facts.kinds import VM
from renderer.kubevirt.facts.kubernetes_names import is_dns_subdomain
from renderer.kubevirt.facts.lists import is_same
from renderer.kustomize.merge_keys.kubevirt import KubevirtMergeSchema
from renderer.kustomize.merge_keys.schema_in_effect import kubernetes_merge_schema
from renderer.kustomize.strategic_merge import StrategicMerge, StrategicMergeError
from renderer.model.kube.field_path import escape
from renderer.model.kube.json import Json, JsonObject, content_digest, object_at, text_at, with_value
from renderer.model.kustomization import KUSTOMIZATION_FILE, KUSTOMIZATION_HEAD
from renderer.model.record import Record
from renderer.yamlio.encode import encode, encode_source

#: No VirtualMachine can have this name, because names do not contain ``_``.
_BASE = "_base"
_MANIFEST = "virtualmachine.yaml"
_PATCH = "patch.yaml"
_FEWEST_VMS = 2
_IDENTITY = ("apiVersion", "kind")


class VmGroup(Record):
    """VirtualMachines with the same value of a label, by their indices in the input.

    ``folder`` is the folder to list under ``resources``, ``files`` its files, text by path below its parent.
    """

    folder: str
    members: tuple[int, ...]
    base: JsonObject
    files: Mapping[str, str]


def grouped(vms: Sequence[JsonObject], label: str) -> tuple[VmGroup, ...]:
    """Return the groups of two or more VirtualMachines of one namespace, in the order of the label's values.

    VMs with another ``apiVersion`` or namespace are in another group. A VM whose name no cluster accepts is
    in none: its folder could be the base, or outside.
    """
    found: dict[tuple[str, str, str], list[int]] = defaultdict(list)
    for position, vm in enumerate(vms):
        value = text_at(vm, "metadata", "labels", label)
        is_named = is_dns_subdomain(text_at(vm, "metadata", "name"))
        if value and is_named and text_at(vm, "kind") == VM:
            found[value, text_at(vm, "apiVersion"), text_at(vm, "metadata", "namespace")].append(position)
    groups: dict[str, VmGroup] = {}
    for (value, *_), members in sorted(found.items()):
        if len(members) >= _FEWEST_VMS:
            folder = "-".join("".join(each if each.isalnum() else " " for each in value.lower()).split())
            if not folder.isascii() or folder in groups:
                folder = f"{folder}-{content_digest(value)}"
            groups[folder] = _group(folder, members, [vms[position] for position in members])
    return tuple(groups.values())


def _group(folder: str, members: Sequence[int], vms: Sequence[JsonObject]) -> VmGroup:
    common = _common_fields(vms)
    base = with_value(common, ("metadata", "name"), folder)
    files = {
        f"{folder}/{_BASE}/{_MANIFEST}": encode_source(base),
        f"{folder}/{_BASE}/{KUSTOMIZATION_FILE}": encode([{**KUSTOMIZATION_HEAD, "resources": [_MANIFEST]}]),
    }
    names = [text_at(vm, "metadata", "name") for vm in vms]
    files[f"{folder}/{KUSTOMIZATION_FILE}"] = encode([{**KUSTOMIZATION_HEAD, "resources": sorted(names)}])
    for name, vm in zip(names, vms, strict=True):
        kustomization: JsonObject = {
            **KUSTOMIZATION_HEAD,
            "resources": [f"../{_BASE}"],
            "patches": [
                {"path": _PATCH, "target": {"kind": VM}, "options": {"allowNameChange": True}},
            ],
        }
        files[f"{folder}/{name}/{KUSTOMIZATION_FILE}"] = encode([kustomization])
        patch = {**{key: vm[key] for key in _IDENTITY}, **_differing_fields(vm, base)}
        operations = list(_operations(base, vm))
        files[f"{folder}/{name}/{_PATCH}"] = encode_source(
            patch if _reproduces(patch, base, vm) else operations
        )
    return VmGroup(folder, tuple(members), base, files)


def _common_fields(vms: Sequence[JsonObject]) -> JsonObject:
    """Return the fields that have the same value in all mappings."""
    first, *others = vms
    common: dict[str, Json] = {}
    for key, value in first.items():
        values = [other.get(key) for other in others]
        if value is None or any(other is None for other in values):
            continue
        if all(is_same(value, other) for other in values):
            common[key] = value
        elif isinstance(value, dict) and all(isinstance(other, dict) for other in values):
            below = _common_fields([value, *(object_at(other) for other in values)])
            if below:
                common[key] = below
    return common


def _differing_fields(vm: JsonObject, base: JsonObject) -> JsonObject:
    """Return the fields of ``vm`` that ``base`` lacks or has with another value."""
    rest: dict[str, Json] = {}
    for key, value in vm.items():
        present = base.get(key)
        if key in base and is_same(value, present):
            continue
        if isinstance(value, dict) and isinstance(present, dict):
            rest[key] = _differing_fields(value, present)
        else:
            rest[key] = value
    return rest


def _reproduces(patch: JsonObject, base: JsonObject, vm: JsonObject) -> bool:
    """Return True if a strategic merge makes the VM, also where lists of KubeVirt are merged by key."""
    kubernetes = kubernetes_merge_schema()
    try:
        return all(
            is_same(StrategicMerge(schema).apply(base, patch), vm)
            for schema in (kubernetes, KubevirtMergeSchema(kubernetes))
        )
    except StrategicMergeError:
        return False


def _operations(base: JsonObject, vm: JsonObject, at: str = "") -> Iterator[JsonObject]:
    """Yield the operations of a JSON 6902 patch that add or replace the fields that ``base`` lacks."""
    for key, value in vm.items():
        present = base.get(key)
        path = f"{at}/{escape(key)}"
        if key in base and is_same(value, present):
            continue
        if isinstance(value, dict) and isinstance(present, dict):
            yield from _operations(present, value, path)
        else:
            yield {"op": "replace" if key in base else "add", "path": path, "value": value}
