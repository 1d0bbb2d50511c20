"""Load the files, folders and texts that the entries of a kustomization name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias, TypeVar

from renderer.files.file_system import join_path
from renderer.kustomize.reader.caseless_fields import CaselessFields, ConvertingFields, LenientFields
from renderer.kustomize.reader.kustomization_entries import read_field_specs, read_replacement
from renderer.kustomize.reader.remote_entries import is_remote, remote_path_error
from renderer.kustomize.reader.resources import read_json_patch, read_patch, read_resources
from renderer.kustomize.reader.source_files import SourceFiles
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.fields import describe_value
from renderer.model.kube.json import Json
from renderer.model.kube.location import Site
from renderer.model.kube.res_id import Gvk
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.kustomization import (
    COMPONENT_KIND,
    CompletedKustomization,
    FieldSpecFile,
    NameReferenceSpec,
    Patch,
    Replacement,
    ReplacementFile,
)
from renderer.model.run.work import spend
from renderer.model.source_tree import (
    Document,
    KustomizationRoot,
    ListedFile,
    LoadedPatch,
    PatchContent,
    ResourceFile,
    StrategicMergePatches,
)
from renderer.yamlio.decode import decode_yaml11

T = TypeVar("T")
Listed = TypeVar("Listed")
FileContent = TypeVar("FileContent", bound=ResourceFile | PatchContent)
#: Reads the root in a folder that is listed at a site.
ReadFolder: TypeAlias = Callable[[str, Site], KustomizationRoot]
#: Steps for an entry, of which the file or folder is looked up (``model.run.work``).
_STEPS_PER_ENTRY = 30
_SPECS = (
    "namePrefix",
    "nameSuffix",
    "namespace",
    "commonLabels",
    "labels",
    "templateLabels",
    "commonAnnotations",
    "varReference",
    "images",
    "replicas",
)


class EntryLoader:
    """Loads the entries of the kustomization in ``folder``; each method accepts an entry and its site."""

    def __init__(
        self,
        files: SourceFiles,
        folder: str,
        site: Site,
        read_folder: ReadFolder,
        completed: CompletedKustomization | None = None,
    ) -> None:
        self._completed = completed
        self.folder = folder
        self._files = files
        self._site = site
        self._read_folder = read_folder
        self.findings: list[Diagnostic] = []
        self.warnings: list[Diagnostic] = []

    def each(self, field: str, entries: Sequence[Listed], read: Callable[[Listed, Site], T]) -> tuple[T, ...]:
        """Return the results of ``read`` for the entries of ``field``; errors are added to ``findings``."""
        spend(_STEPS_PER_ENTRY * len(entries), "reading kustomizations")
        results: list[T] = []
        for index, entry in enumerate(entries):
            site = self._completed.site(field, index) if self._completed else self._site.below(field, index)
            try:
                results.append(read(entry, site))
            except DiagnosticError as error:
                self.findings += (found for found in error.diagnostics if not self._is_skipped(found))
        return tuple(results)

    def _is_skipped(self, found: Diagnostic) -> bool:
        return self._files.skips_unsupported and found.code is Code.UNSUPPORTED_FIELD

    def attempt(self, read: Callable[[], T], otherwise: T) -> T:
        """Return the result of ``read``; after an error, add it to ``findings`` and return ``otherwise``."""
        try:
            return read()
        except DiagnosticError as error:
            self.findings += error.diagnostics
            return otherwise

    def file(self, path: str, site: Site, *, is_of_secret: bool = False) -> ListedFile:
        """Return a file with its real path; a Secret may be made from it.

        Raises: file-not-found, file-outside-root, unsupported-field.
        """
        resolved = self._files.file(path, self.folder, site, is_of_secret=is_of_secret)
        return ListedFile(resolved, self._files.fs.read(resolved))

    def document(self, path: str, site: Site) -> Document:
        """Return the first document of a file, read as YAML 1.1."""
        resolved = self._files.file(path, self.folder, site)
        return Document(Site(resolved), decode_yaml11(self._files.fs.read(resolved), resolved))

    def resource(self, path: str, site: Site) -> ResourceFile | KustomizationRoot:
        """Load a file, or a folder with another kustomization (``kusttarget.go`` accumulateResources)."""
        if self._files.is_file(path, self.folder, site):
            return self._with_warnings(self._files.resources(path, self.folder, site))
        place = join_path(self.folder, path)
        if not is_remote(path) and not (path and self._files.fs.is_folder(place)):
            raise self._files.missing_error(place, "file or folder", site)
        root = self._root(path, site)
        if root.kustomization.kind == COMPONENT_KIND:
            raise Diagnostic.at(
                site, Code.KUSTOMIZATION_FIELD, f"{path} is a Component", "list it under components"
            ).error()
        return root

    def component(self, path: str, site: Site) -> KustomizationRoot:
        if is_remote(path):
            raise remote_path_error(path, site, is_component=True)
        root = self._root(path, site)
        if root.kustomization.kind != COMPONENT_KIND:
            kind = root.kustomization.kind
            raise Diagnostic.at(
                site,
                Code.KUSTOMIZATION_FIELD,
                f"{path} is a {kind}, not a Component",
                "list it under resources",
            ).error()
        return root

    def plugin(self, entry: str, site: Site) -> ResourceFile | KustomizationRoot:
        """Load the configuration of a plugin: a text in the entry, or a file or folder."""
        inline = _inline_resources(entry, site)
        return self.resource(entry, site) if inline is None else ResourceFile(site, ResourceSet(inline))

    def patch(self, listed: Patch, site: Site) -> LoadedPatch:
        """Load an entry of ``patches`` (``PatchTransformer.go`` Config)."""
        text = listed.patch.strip()
        if bool(text) == bool(listed.path):
            raise _ambiguous_patch_error(listed, site)
        if listed.path:
            content = self._files.patch(listed.path, self.folder, site.below("path"))
            return LoadedPatch(listed, self._with_warnings(content))
        return LoadedPatch(listed, read_patch(text.encode(), site.below("patch")))

    def json6902(self, listed: Patch, site: Site) -> LoadedPatch:
        """Load an entry of ``patchesJson6902`` (``PatchJson6902Transformer.go`` Config)."""
        if listed.target is None or not listed.target.name:
            raise Diagnostic.at(site, Code.PATCH_INVALID, "the patch has no target.name").error()
        if bool(listed.patch) == bool(listed.path):
            raise _ambiguous_patch_error(listed, site)
        if listed.path:
            content = self._files.json_patch(listed.path, self.folder, site.below("path"))
            return LoadedPatch(listed, self._with_warnings(content))
        return LoadedPatch(listed, read_json_patch(listed.patch.encode(), site.below("patch")))

    def strategic_merge(self, entry: str, site: Site) -> StrategicMergePatches:
        """Load an entry of ``patchesStrategicMerge``: a text, or else a file."""
        inline = _inline_resources(entry, site)
        if inline is not None:
            return StrategicMergePatches(site, inline)
        file = self._with_warnings(self._files.resources(entry, self.folder, site))
        return StrategicMergePatches(file.site, file.resources.resources)

    def _with_warnings(self, read: FileContent) -> FileContent:
        """Return the content of a file; its warnings are added to ``warnings``."""
        self.warnings += self._files.warnings(read.site.path)
        return read

    def _root(self, path: str, site: Site) -> KustomizationRoot:
        if is_remote(path):
            raise remote_path_error(path, site)
        return self._read_folder(self._files.folder(path, self.folder, site), site)


def _inline_resources(text: str, site: Site) -> tuple[Resource, ...] | None:
    """Return the objects in the text of the entry itself; None if it is a path."""
    try:
        return read_resources(text.encode(), site)
    except DiagnosticError:
        if "\n" in text.strip():
            raise
        return None


def _ambiguous_patch_error(listed: Patch, site: Site) -> DiagnosticError:
    problem = "both path and patch" if listed.path else "neither path nor patch"
    return Diagnostic.at(site, Code.PATCH_INVALID, f"the patch has {problem}", "give one of them").error()


def read_field_spec_file(file: Document) -> FieldSpecFile:
    """Return the field specs in the file, by the field that they apply to. Raises: kustomization-field."""
    findings: list[Diagnostic] = []
    content = {} if file.content is None else file.content
    fields = ConvertingFields(content, file.site, findings, Code.KUSTOMIZATION_FIELD)
    fields.only(*_SPECS, "nameReference")
    read = FieldSpecFile(
        site=file.site,
        field_specs={name: read_field_specs(fields, name) for name in _SPECS},
        name_references=tuple(_name_reference(entry) for entry in fields.elements("nameReference")),
    )
    if findings:
        raise DiagnosticError(*findings)
    return read


def _name_reference(fields: CaselessFields) -> NameReferenceSpec:
    fields.only("group", "version", "kind", "fieldSpecs")
    gvk = Gvk(fields.text_or_empty("group"), fields.text_or_empty("version"), fields.text_or_empty("kind"))
    return NameReferenceSpec(gvk, read_field_specs(fields, "fieldSpecs"))


def load_replacements(
    listed: Iterable[Replacement | ReplacementFile], entries: EntryLoader
) -> tuple[Replacement, ...]:
    """Return the replacements, also from files. Raises: kustomization-field, and the errors of reading."""
    replacements: list[Replacement] = []
    for entry in listed:
        if isinstance(entry, Replacement):
            replacements.append(entry)
        else:
            replacements += _read_replacements(entries.document(entry.path, entry.site.below("path")))
    return tuple(replacements)


def _read_replacements(file: Document) -> tuple[Replacement, ...]:
    findings: list[Diagnostic] = []
    replacements = tuple(
        read_replacement(LenientFields(content, file.site.below(*index), findings, Code.KUSTOMIZATION_FIELD))
        for index, content in _replacement_entries(file)
    )
    if findings:
        raise DiagnosticError(*findings)
    return replacements


def _replacement_entries(file: Document) -> Iterator[tuple[tuple[int, ...], Json]]:
    if isinstance(file.content, list):
        yield from (((index,), content) for index, content in enumerate(file.content))
    elif isinstance(file.content, dict):
        yield (), file.content
    else:
        raise Diagnostic.at(
            file.site,
            Code.KUSTOMIZATION_FIELD,
            f"a file of replacements contains one or a list of them, not {describe_value(file.content)}",
        ).error()
