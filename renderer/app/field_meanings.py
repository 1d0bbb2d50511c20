"""Explain the fields of KubeVirt's kinds: ``explain KIND FIELD``."""

from __future__ import annotations

import re

from renderer.app.project import Project
from renderer.app.usage_error import UsageError
from renderer.checks.schemas.editor_schema import FieldNames, field_schemas, first_releases
from renderer.checks.schemas.field_descriptions import describe
from renderer.checks.schemas.kubevirt_kinds import KINDS, KubevirtKind, api_versions, kinds_at
from renderer.checks.schemas.registry import SchemaRegistry
from renderer.kubevirt.facts.kinds import VM_TEMPLATE
from renderer.model.field_meaning import FieldMeaning
from renderer.model.kube.json import JsonObject, array_at
from renderer.model.kube.res_id import Gvk
from renderer.model.release import OLDEST, Release
from renderer.model.suggest import did_you_mean

#: The field of a VirtualMachineTemplate that has a VirtualMachine, whose schema does not describe it.
_MACHINE_OF_TEMPLATE: FieldNames = ("spec", "virtualMachine")
#: Elements of lists and other numbers, which make no difference to the meaning.
_ELEMENT = re.compile(r"\[[^\[\]]*\]")


def field_meanings(project: Project, kind_name: str, path: str) -> tuple[FieldMeaning, ...]:
    """Return the fields of a kind that ``path`` matches, at the project's release.

    A path leaves out elements of lists; ``...`` matches any part of it. The end of a path is enough if no
    field is at it from the top.

    Raises ``UsageError`` if there is none.
    """
    release = project.config.kubevirt
    kinds = kinds_at(release)
    kind = next((each for each in kinds if each.name == kind_name), None)
    if kind is None:
        known = (each.name for each in kinds)
        near = did_you_mean(kind_name, known, otherwise="write it as a manifest does")
        raise UsageError(f"KubeVirt {release} has no kind {kind_name!r}; {near}")
    registry = SchemaRegistry()
    schemas = schemas_of_fields(registry, kind, release)
    if not path:
        top = tuple(names for names in schemas if len(names) == 1)
        return tuple(_meaning(kind, names, release, schemas, None) for names in top)
    found = [names for names in schemas if _pattern(path).fullmatch(".".join(names))]
    found = found or [names for names in schemas if _pattern(f"...{path}").fullmatch(".".join(names))]
    if not found:
        names = dict.fromkeys(names[-1] for names in schemas)
        last, everything = path.rpartition(".")[2], f"vmrender explain {kind_name} begins the list"
        near = did_you_mean(last, names, otherwise=everything)
        raise UsageError(f"a {kind_name} of KubeVirt {release} has no field {path!r}; {near}")
    until = [each for each in registry.releases if OLDEST <= each <= release and api_versions(kind, each)]
    since = first_releases({each: schemas_of_fields(registry, kind, each) for each in until})
    return tuple(_meaning(kind, names, release, schemas, since.get(names)) for names in found)


def schemas_of_fields(
    registry: SchemaRegistry, kind: KubevirtKind, release: Release
) -> dict[FieldNames, JsonObject]:
    """Return the schema of each field of a kind, and of the machine in a VirtualMachineTemplate."""
    version = api_versions(kind, release)[0].rpartition("/")[2]
    found = dict(field_schemas(registry.schema(release, Gvk(kind.group, version, kind.name)).document))
    if kind.name == VM_TEMPLATE:
        machine = next(each for each in KINDS if each.name == "VirtualMachine")
        below = schemas_of_fields(registry, machine, release)
        found |= {(*_MACHINE_OF_TEMPLATE, *names): schema for names, schema in below.items()}
    return found


def _meaning(
    kind: KubevirtKind,
    names: FieldNames,
    release: Release,
    schemas: dict[FieldNames, JsonObject],
    since: Release | None,
) -> FieldMeaning:
    schema, described = schemas[names], describe(names)
    types = array_at(schema, "type") or (schema.get("type", "null"),)
    remarks = (described.text, *described.remarks(release, since)) if described else ()
    return FieldMeaning(
        kind.name,
        ".".join(names),
        described.title if described else "",
        " ".join(remarks),
        " or ".join(str(each) for each in types if each != "null"),
        tuple(value for value in array_at(schema, "enum") if value not in (None, "")),
        tuple((below[-1], _title(below)) for below in schemas if below[:-1] == names),
    )


def _title(names: FieldNames) -> str:
    described = describe(names)
    return described.title if described else ""


def _pattern(path: str) -> re.Pattern[str]:
    """Return the pattern of the dotted paths that ``path`` matches."""
    parts = [re.escape(part.strip(".")) for part in _ELEMENT.sub("", path).split("...")]
    text = r"\.(?:.*\.)?".join(filter(None, parts))
    return re.compile(text if parts[0] else rf"(?:.*\.)?{text}")
