"""Convert an OpenShift Template to a VirtualMachineTemplate, or say why it cannot be converted.

``pkg/virtctl/template/convert`` of KubeVirt copies the only object, the parameters and the message, and drops
the labels that OpenShift adds to objects. Here they become labels of the machine, so that both templates make
the same machine.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from renderer.authoring.migration.change import NotMigrated
from renderer.kubevirt.facts.kinds import DATA_VOLUME, SECRET, VM, VM_TEMPLATE, VM_TEMPLATE_GROUP
from renderer.kubevirt.vm_template.admission import pruned, review, schema_problems
from renderer.kubevirt.vm_template.findings import findings_of
from renderer.kubevirt.vm_template.references import VALUE_REFERENCE
from renderer.kubevirt.vm_template.refusal import Refusal, RefusalCode
from renderer.kubevirt.vm_template.template import MACHINE, SERVED_SINCE, read_template
from renderer.kubevirt.vm_template.typed_machine import types_of
from renderer.model.kube.field_path import ROOT, FieldPath
from renderer.model.kube.json import Json, JsonObject, array_at, object_at, scalar_text, text_at, with_value
from renderer.model.kube.resource import Resource
from renderer.model.release import Release

#: The fields of a Template that become fields of ``spec``.
MOVED = ("objects", "parameters", "message")
LABELS = "labels"
#: What to do with an object that a VirtualMachineTemplate does not make.
_HINTS = {
    VM: "give it a template of its own",
    DATA_VOLUME: "write it under dataVolumeTemplates of the machine, which makes it",
    SECRET: "make the Secret by itself, and name it in the machine by a parameter",
}
_OBJECT = FieldPath.of("objects", 0)
_MACHINE_LABELS = (*MACHINE.keys, "metadata", "labels")


class Conversion(NamedTuple):
    """The VirtualMachineTemplate, or an empty object, and what has to change before it can be used."""

    content: JsonObject
    problems: tuple[NotMigrated, ...]


def convert(template: Resource, release: Release) -> Conversion:
    """Convert an OpenShift Template for ``release``, the oldest one that it is rendered for."""
    objects = array_at(template.content, "objects")
    problems = (*_release_problems(template, release), *_object_problems(objects), *_label_problems(template))
    if problems:
        return Conversion({}, problems)
    content = converted(template.content, release)
    found = template._replace(content=content)
    refusals = tuple(schema_problems(content)) or review(read_template(content), types_of(release)).webhook
    problems = (*_unknown_fields(content), *_refused(found, refusals))
    return Conversion(content, problems)


def api_version(release: Release) -> str:
    """Return the newest API version that a release serves; the oldest of all if it serves none."""
    version = next((name for name, since in SERVED_SINCE.items() if release >= since), [*SERVED_SINCE][-1])
    return f"{VM_TEMPLATE_GROUP}/{version}"


def converted(content: JsonObject, release: Release) -> JsonObject:
    """Return the VirtualMachineTemplate of a Template with one object, without checking it."""
    names = {"objects": "virtualMachine"}
    spec = {names.get(name, name): value for name, value in content.items() if name in MOVED}
    spec["virtualMachine"] = array_at(content, "objects")[0]
    kept = {name: value for name, value in content.items() if name not in (*MOVED, LABELS)}
    made: JsonObject = {**kept, "apiVersion": api_version(release), "kind": VM_TEMPLATE, "spec": spec}
    labels = object_at(content, LABELS)
    if labels:
        made = with_value(made, _MACHINE_LABELS, {**object_at(made, *_MACHINE_LABELS), **labels})
    return made


def _release_problems(template: Resource, release: Release) -> Iterator[NotMigrated]:
    first = min(SERVED_SINCE.values())
    if release < first:
        message = f"it is for KubeVirt {release}, which has no {VM_TEMPLATE}"
        yield NotMigrated(FieldPath.of("kind"), message, f"migrate again for {first.as_bound} or newer")
    if "spec" in template.content:
        yield NotMigrated(FieldPath.of("spec"), "a Template has no field spec", "remove it")


def _object_problems(objects: Sequence[Json]) -> Iterator[NotMigrated]:
    """Yield the objects that a VirtualMachineTemplate cannot make: it makes one machine."""
    machines = 0
    for index, each in enumerate(objects):
        kind, name = text_at(each, "kind"), text_at(each, "metadata", "name")
        machines += kind == VM
        if kind == VM and machines == 1:
            continue
        hint = _HINTS.get(kind, "write it as a manifest of its own; its name may not have parameters there")
        what = f"{kind} {name}".strip() or "an object without a kind"
        message = f"it also makes {what}, and a {VM_TEMPLATE} makes only one machine"
        yield NotMigrated(FieldPath.of("objects", index), message, hint)
    if not machines:
        at = FieldPath.of("objects") if objects else ROOT
        yield NotMigrated(at, "it makes no VirtualMachine", "leave it to oc process, or write manifests")


def _label_problems(template: Resource) -> Iterator[NotMigrated]:
    """Yield labels that are always texts in OpenShift, and any JSON in the machine's metadata."""
    for key, value in object_at(template.content, LABELS).items():
        if any(VALUE_REFERENCE.fullmatch(text) for text in (key, scalar_text(value))):
            message = (
                f"its label {key} is the value of a parameter in double braces, which would be read as JSON"
            )
            yield NotMigrated(FieldPath.of(LABELS, key), message, "write ${NAME}, which is always a text")


def _unknown_fields(content: JsonObject) -> Iterator[NotMigrated]:
    for at in pruned(content):
        message = f"a {VM_TEMPLATE} has no field {at.keys[-1]}"
        yield NotMigrated(in_template(at), message, "remove it; the API server would drop it")


def _refused(made: Resource, refusals: tuple[Refusal, ...]) -> Iterator[NotMigrated]:
    for refusal in refusals:
        if refusal.code.startswith("schema."):
            field = in_template(refusal.at or ROOT)
            yield NotMigrated(field, *_schema_words(refusal))
            continue
        for found in findings_of(made, (refusal,)):
            hint = (found.hint or "").replace("spec.parameters", "parameters")
            yield NotMigrated(in_template(found.field or ROOT), found.message, hint)


def _schema_words(refusal: Refusal) -> tuple[str, str]:
    name = str(refusal.at.segments[-1]) if refusal.at is not None and refusal.at.segments else "a field"
    match refusal.code:
        case RefusalCode.SCHEMA_PATTERN:
            message = f"{name} has no part like [a-z]{{8}}, which a {VM_TEMPLATE} requires"
            return message, "write it as the value"
        case RefusalCode.SCHEMA_ENUM:
            return f"a {VM_TEMPLATE} has no such generator", "write generate: expression, or a value"
        case RefusalCode.SCHEMA_REQUIRED:
            return f"{name} is missing", "write it"
        case _:
            message = f"{name} has another type than in a {VM_TEMPLATE}"
            return message, "write texts in quotes, and required as true"


def in_template(field: FieldPath) -> FieldPath:
    """Return the field of the Template that a field of the VirtualMachineTemplate comes from."""
    segments = field.segments
    depth = len(MACHINE.segments)
    if segments[:depth] == MACHINE.segments:
        return _OBJECT.child(*segments[depth:])
    return FieldPath(segments[1:]) if segments[:1] == ("spec",) else field
