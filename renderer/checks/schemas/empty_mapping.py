"""What to write instead of a null where a mapping belongs: ``{}``, or a mapping with fields."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from renderer.checks.schemas.finding import SchemaTarget
from renderer.checks.schemas.kind_schema import ELEMENT, SchemaPlace, Violation, schema_place
from renderer.checks.schemas.known_values import VALID_WHEN_MISSING
from renderer.kubevirt.facts.admission_request import REVIEWED_KINDS
from renderer.kubevirt.facts.kinds import INSTANCETYPE, PREFERENCE, is_kubevirt_group
from renderer.kubevirt.facts.virtual_machine import virtual_machine_paths
from renderer.model.field_edit import Edit, RemoveField, SetField, apply_edits, removal
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import JsonObject, array_at, object_at, text_at
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.run.work import spend

#: Steps for judging a machine twice (``model.run.work``).
_JUDGING = 600
#: Mappings that say nothing without a field in them, although neither schema nor webhook asks for one.
_NEVER_EMPTY: tuple[SchemaPlace, ...] = (
    ("disks", ELEMENT, "lun"),
    ("domain", "memory"),
    ("hyperv", "vendorid"),
    ("spec", "pvc"),
    ("spec", "source"),
    ("spec", "sourceRef"),
    ("spec", "storage"),
)


def accepts_empty_mapping(
    violation: Violation, target: SchemaTarget, refused: Sequence[FieldPath] = ()
) -> bool:
    """Return True if the object with ``{}`` has no finding that it would not have without the field.

    KubeVirt's webhooks judge the object without its ``refused`` values.
    """
    place = schema_place(violation.field)
    if any(place[-len(each) :] == each for each in _NEVER_EMPTY):
        return False
    if violation.schema.get("minProperties") or any(required_fields(violation)):
        return False
    content = violation.content
    if text_at(content, "kind") not in REVIEWED_KINDS or not is_kubevirt_group(target.gvk.group):
        return True
    try:
        content = object_at(apply_edits(content, [removal(field) for field in reversed(refused)]))
        with_empty = _causes(content, SetField(violation.field, {}), target)
        return with_empty <= _causes(content, RemoveField(violation.field), target)
    except LookupError:  # it was in a refused value
        return False


def required_fields(violation: Violation) -> Iterator[str]:
    """Yield the fields without which the schema, or KubeVirt, does not accept the mapping."""
    base = ".".join(schema_place(violation.field)).replace(f".{ELEMENT}", "")
    for name in array_at(violation.schema, "required"):
        if not f"{base}.{name}".endswith(VALID_WHEN_MISSING):
            yield str(name)


def _causes(content: JsonObject, edit: Edit, target: SchemaTarget) -> frozenset[tuple[FieldPath | None, str]]:
    """Return what the webhooks refuse of an object after an edit, by field and message."""
    from renderer.kubevirt.admission.review import review  # noqa: PLC0415 - only when a null was written
    from renderer.kubevirt.instancetype.admission_requests import admission_requests  # noqa: PLC0415 - as above
    from renderer.kubevirt.instancetype.catalog import Catalog  # noqa: PLC0415 - as above

    spend(_JUDGING, "judging an object without a null")
    edited = object_at(apply_edits(content, [edit, *_without_matchers(content)]))
    resources = ResourceSet((Resource(edited, Site("")),))
    found = review(admission_requests(resources, Catalog(), target.release), target.release, resources)
    return frozenset((each.field, each.message) for each in found)


def _without_matchers(content: JsonObject) -> Iterator[Edit]:
    """Yield the removal of a machine's matchers: without the expansion, its size is unknown."""
    paths = virtual_machine_paths(content)
    if paths is not None:
        for key in (INSTANCETYPE.key, PREFERENCE.key):
            if key in object_at(content, *paths.spec.keys):
                yield RemoveField(paths.spec.child(key))
