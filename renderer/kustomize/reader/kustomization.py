"""Read the fields of a kustomization (kustomize ``api/types/kustomization.go``)."""

from __future__ import annotations

from renderer.kustomize.reader.caseless_fields import CaselessFields, LenientFields
from renderer.kustomize.reader.kustomization_entries import (
    read_generator_args,
    read_generator_options,
    read_image,
    read_label,
    read_patch_entry,
    read_replacement_entry,
    read_replica,
    read_sort_options,
    read_variable,
)
from renderer.kustomize.reader.resources import unread_text
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Severity
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import Json
from renderer.model.kube.location import Location, Site
from renderer.model.kustomization import (
    COMPONENT_HEAD,
    COMPONENT_KIND,
    KUSTOMIZATION_HEAD,
    KUSTOMIZATION_KIND,
    CompletedKustomization,
    GeneratorArgs,
    GeneratorOptions,
    Kustomization,
)
from renderer.yamlio.documents import second_document

_RENDER_CHARTS = "render the chart first (helm template) and list its output under resources"

#: Fields that cause an error if they are not empty, and the hint.
UNSUPPORTED = {
    "helmCharts": _RENDER_CHARTS,
    "helmGlobals": _RENDER_CHARTS,
    "helmChartInflationGenerator": _RENDER_CHARTS,
}

#: Deprecated fields and what kustomize recommends instead.
DEPRECATED = {
    "bases": "resources",
    "commonLabels": "labels",
    "imageTags": "images",
    "patchesJson6902": "patches",
    "patchesStrategicMerge": "patches",
    "vars": "replacements",
}

#: What an Application can write instead of the fields that kustomize deprecates.
_SUCCESSORS_IN_ENTRIES = {
    "commonLabels": "with labelWithoutSelector: true, Argo CD writes labels, which no selector gets",
}

_SUPPORTED = (
    "apiVersion",
    "bases",
    "buildMetadata",
    "commonAnnotations",
    "commonLabels",
    "components",
    "configMapGenerator",
    "configurations",
    "crds",
    "generatorOptions",
    "generators",
    "imageTags",
    "images",
    "kind",
    "labels",
    "metadata",
    "namePrefix",
    "nameSuffix",
    "namespace",
    "openapi",
    "patches",
    "patchesJson6902",
    "patchesStrategicMerge",
    "replacements",
    "replicas",
    "resources",
    "secretGenerator",
    "sortOptions",
    "transformers",
    "validators",
    "vars",
)

KNOWN_FIELDS = (*_SUPPORTED, *UNSUPPORTED)


#: A field that was renamed, and its old name.
_IMAGES = ("images", "imageTags")
#: Lists whose entries kustomize moves to another field before it looks at them.
_RENAMED = ("bases", "imageTags", "helmChartInflationGenerator")
_GENERATED_KINDS = {"configMapGenerator": "ConfigMap", "secretGenerator": "Secret"}

_API_VERSIONS = {
    KUSTOMIZATION_KIND: KUSTOMIZATION_HEAD["apiVersion"],
    COMPONENT_KIND: COMPONENT_HEAD["apiVersion"],
}


def parse_kustomization(
    content: Json, site: Site, reader: type[CaselessFields] = CaselessFields
) -> Kustomization:
    """Parse the document ``content``, which is at ``site``, as a kustomization.

    Raises ``DiagnosticError`` with all errors: kustomization-field, unsupported-field.
    """
    findings: list[Diagnostic] = []
    fields = reader({} if content is None else content, site, findings, Code.KUSTOMIZATION_FIELD)
    fields.only(*KNOWN_FIELDS)
    if not findings:
        _check_not_empty(fields)
    _check_type(fields)
    findings += (
        Diagnostic.at(fields.site_of(name), Code.UNSUPPORTED_FIELD, f"{name} is not supported", hint)
        for name, hint in UNSUPPORTED.items()
        if fields.content.get(name)
    )
    kustomization = _kustomization(fields, site)
    if findings:
        raise DiagnosticError(*findings)
    return kustomization


def without_unsupported(content: Json) -> Json:
    """Return the content of a kustomization without the fields that are not supported, such as charts."""
    if not isinstance(content, dict):
        return content
    return {name: value for name, value in content.items() if name not in UNSUPPORTED}


def parse_completed(completed: CompletedKustomization) -> Kustomization:
    """Return the kustomization that an engine has completed; patches and images record their places.

    Raises ``DiagnosticError`` like ``parse_kustomization``.
    """
    reader = LenientFields if completed.lenient else CaselessFields
    written = parse_kustomization(completed.content, Site(completed.file), reader)
    patches = (
        patch._replace(site=completed.site("patches", index)) for index, patch in enumerate(written.patches)
    )
    images = (
        image._replace(site=completed.site("images", index)) for index, image in enumerate(written.images)
    )
    is_listed = "imageTags" not in completed.content  # its entries follow those of images
    return written._replace(
        patches=tuple(patches), images=tuple(images) if is_listed else written.images, completed=completed
    )


def deprecations(
    content: Json, site: Site, completed: CompletedKustomization | None = None
) -> tuple[Diagnostic, ...]:
    """Return a warning for each deprecated field that the kustomization, or its entry point, uses."""
    fields = CaselessFields(content, site, [], Code.KUSTOMIZATION_FIELD)
    fields.only(*KNOWN_FIELDS)
    return tuple(
        Diagnostic.at(
            fields.site_of(name) if added is None else added[0],
            Code.DEPRECATED,
            f"{name} is deprecated in kustomize",
            f"use {successor} instead" if added is None else _SUCCESSORS_IN_ENTRIES.get(name),
            severity=Severity.WARNING,
        )
        for name, successor in DEPRECATED.items()
        if name in fields
        for added in (completed.sites.get(FieldPath.of(name)) if completed else None,)
    )


def ignored_documents(content: bytes, path: str) -> tuple[Diagnostic, ...]:
    """Return a warning for a file with more than one non-empty document."""
    line = second_document(content)
    if not line:
        return unread_text(content, path)
    return (
        Diagnostic.in_file(
            Location(path, line),
            Code.IGNORED_DOCUMENT,
            "only the first document of a kustomization counts",
            "move the rest into its own file and list that under resources",
            severity=Severity.WARNING,
        ),
    )


def repeated_fields(content: bytes, path: str) -> tuple[Diagnostic, ...]:
    """Return a warning for each field that is written twice; kustomize uses only the last one."""
    before_colons = (line.partition(b":")[0].rstrip(b" ") for line in content.split(b"\n") if b":" in line)
    names = [name for name in before_colons if name.isalpha()]  # the usual spelling of a field
    if len(names) == len(set(names)):
        return ()
    from renderer.yamlio.problems import repeated_keys  # noqa: PLC0415 - few fields are written twice

    return tuple(
        repeated._replace(
            code=Code.KUSTOMIZATION_FIELD,
            severity=Severity.WARNING,
            message=f"{repeated.message}, and kustomize uses only the last one",
            hint="write the field once, with all its entries",
        )
        for repeated in repeated_keys(content, path)
    )


def _kustomization(fields: CaselessFields, site: Site) -> Kustomization:
    options = read_generator_options(fields.child("generatorOptions"))
    return Kustomization(
        site=site,
        kind=fields.text("kind") or KUSTOMIZATION_KIND,
        resources=fields.lines("resources"),
        bases=fields.lines("bases"),
        components=fields.lines("components"),
        generators=fields.lines("generators"),
        name_prefix=fields.text_or_empty("namePrefix"),
        name_suffix=fields.text_or_empty("nameSuffix"),
        namespace=fields.text_or_empty("namespace"),
        labels=tuple(read_label(label) for label in fields.elements("labels")),
        common_labels=fields.pairs("commonLabels"),
        common_annotations=fields.pairs("commonAnnotations"),
        patches=tuple(read_patch_entry(patch) for patch in fields.elements("patches", "path")),
        patches_strategic_merge=fields.lines("patchesStrategicMerge"),
        patches_json6902=tuple(read_patch_entry(patch) for patch in fields.elements("patchesJson6902")),
        replacements=tuple(read_replacement_entry(entry) for entry in fields.elements("replacements")),
        replicas=tuple(read_replica(entry) for entry in fields.elements("replicas")),
        images=tuple(read_image(entry) for name in _IMAGES for entry in fields.elements(name)),
        variables=tuple(read_variable(entry) for entry in fields.elements("vars")),
        config_map_generator=_generators(fields, "configMapGenerator", options),
        secret_generator=_generators(fields, "secretGenerator", options),
        transformers=fields.lines("transformers"),
        validators=fields.lines("validators"),
        configurations=fields.lines("configurations"),
        crds=fields.lines("crds"),
        open_api=fields.pairs("openapi"),
        build_metadata=fields.lines("buildMetadata"),
        sort_options=read_sort_options(fields.child("sortOptions")) if "sortOptions" in fields else None,
    )


def _generators(fields: CaselessFields, name: str, common: GeneratorOptions) -> tuple[GeneratorArgs, ...]:
    kind = _GENERATED_KINDS[name]
    return tuple(read_generator_args(entry, kind, common) for entry in fields.elements(name))


def _check_type(fields: CaselessFields) -> None:
    """Check apiVersion and kind (kustomize ``EnforceFields``)."""
    kind = fields.text("kind") or KUSTOMIZATION_KIND
    if kind not in _API_VERSIONS:
        fields.reject("kind", f"kind cannot be {kind!r}", f"one of {', '.join(_API_VERSIONS)}")
        return
    version = fields.text("apiVersion")
    if version and version != _API_VERSIONS[kind]:
        message = f"apiVersion of a {kind} cannot be {version!r}"
        fields.reject("apiVersion", message, f"write {_API_VERSIONS[kind]}")


def _check_not_empty(fields: CaselessFields) -> None:
    """Check that it has content: empty lists and mappings count, empty texts do not (``CheckEmpty``).

    Nor do empty lists of a field that was renamed: before, their entries go to the new one
    (kustomize ``api/types/kustomization.go`` ``FixKustomization``).
    """
    if all(
        key in ("apiVersion", "kind") or value in (None, "") or (key in _RENAMED and value == [])
        for key, value in fields.content.items()
    ):
        fields.reject(None, "the kustomization is empty", "list something under resources")
