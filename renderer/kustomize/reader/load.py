"""Load kustomizations and everything they use into a source tree (kustomize ``api/internal/target``)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from renderer.files.file_system import FileSystem, is_inside
from renderer.files.recorder import Recorder, Task
from renderer.kustomize.reader.entry_loader import (
    EntryLoader,
    ReadFolder,
    load_replacements,
    read_field_spec_file,
)
from renderer.kustomize.reader.find_kustomization import LoadRestrictor, find_kustomization
from renderer.kustomize.reader.kustomization import (
    deprecations,
    ignored_documents,
    parse_completed,
    parse_kustomization,
    repeated_fields,
    without_unsupported,
)
from renderer.kustomize.reader.plugins import Accumulate, Plugins, listed_resources
from renderer.kustomize.reader.resources import read_resources, refuse_non_objects, unread_text
from renderer.kustomize.reader.source_files import SourceFiles
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Outcome, without_repetition
from renderer.model.kube.json import object_at
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.kustomization import CompletedKustomization, DataGenerator, GeneratorArgs, Kustomization
from renderer.model.run.limits import limits, over_limit
from renderer.model.run.work import spend
from renderer.model.source_tree import KustomizationRoot, OpenApi, SourceTree
from renderer.yamlio.decode import decode_yaml11

#: Steps for a kustomization without entries (``model.run.work``).
_STEPS_PER_ROOT = 300


class AncestorChain:
    """The folders from the requested one to the current one.

    None of them, and no parent of one of them, may be listed again.
    """

    def __init__(self, folders: tuple[str, ...] = ()) -> None:
        self.folders = folders

    def enter(self, folder: str, site: Site) -> AncestorChain:
        """Return the chain of ``folder``, listed at ``site``. Raises: kustomization-cycle, build-limit."""
        for visited in self.folders:
            if is_inside(visited, folder):
                raise _cycle_error((*self.folders, folder), site)
        most = limits().base_depth
        if len(self.folders) > most:
            message = f"kustomizations use each other more than {most} levels deep"
            raise over_limit("base_depth", message, site)
        return AncestorChain((*self.folders, folder))

    def check(self, is_below: Callable[[str], bool], site: Site) -> None:
        """Check that no folder for which ``is_below`` closes a cycle. Raises: kustomization-cycle."""
        at_or_above = {"."} if self.folders else set[str]()
        for folder in self.folders:
            while folder not in at_or_above:
                at_or_above.add(folder)
                folder = folder.rpartition("/")[0] or "."  # noqa: PLW2901 - the next one above
        closing = min(filter(is_below, at_or_above), default="")
        if closing:
            raise _cycle_error((*self.folders, closing), site)


def _cycle_error(folders: tuple[str, ...], site: Site) -> DiagnosticError:
    return Diagnostic.at(
        site,
        Code.KUSTOMIZATION_CYCLE,
        f"these kustomizations use each other: {' → '.join(folders)}",
        "a kustomization cannot use its own folder or one above it",
    ).error()


def _kustomization_in(
    files: SourceFiles, folder: str, completed: CompletedKustomization | None
) -> tuple[Kustomization, tuple[Diagnostic, ...]]:
    """Return the kustomization of ``folder``, or the one built in its place, and its warnings."""
    if completed is not None:
        if not completed.generated:
            find_kustomization(files.fs, folder, files.restrictor)  # raises if it is out of reach
        if files.skips_unsupported:
            completed = completed._replace(content=object_at(without_unsupported(completed.content)))
        return parse_completed(completed), deprecations(completed.content, Site(completed.file), completed)
    site = Site(find_kustomization(files.fs, folder, files.restrictor))
    text = files.fs.read(site.path)
    content = decode_yaml11(text, site.path)
    if files.skips_unsupported:
        content = without_unsupported(content)
    repeated = repeated_fields(text, site.path)
    warnings = (*deprecations(content, site), *ignored_documents(text, site.path), *repeated)
    return parse_kustomization(content, site), warnings


def read_root(
    files: SourceFiles,
    folder: str,
    read_folder: ReadFolder,
    accumulate: Accumulate,
    completed: CompletedKustomization | None = None,
) -> KustomizationRoot:
    """Read the kustomization in ``folder``, or ``completed`` in its place, and everything it lists.

    Raises ``DiagnosticError`` with every error in it and below it.
    """
    written, warnings = _kustomization_in(files, folder, completed)
    entries = EntryLoader(files, folder, written.site, read_folder, completed)
    plugins = Plugins(entries, accumulate)

    root = KustomizationRoot(
        folder=folder,
        kustomization=written,
        resources=entries.each("resources", written.resources, entries.resource)
        + entries.each("bases", written.bases, entries.resource),
        components=entries.each("components", written.components, entries.component),
        data_generators=entries.each(
            "configMapGenerator", written.config_map_generator, partial(_read_data, entries)
        )
        + entries.each(
            "secretGenerator", written.secret_generator, partial(_read_data, entries, is_secret=True)
        ),
        generators=plugins.generators(written.generators),
        transformers=plugins.transformers("transformers", written.transformers),
        validators=plugins.transformers("validators", written.validators),
        plugin_roots=tuple(plugins.roots),
        configurations=entries.each(
            "configurations",
            written.configurations,
            lambda path, at: read_field_spec_file(entries.document(path, at)),
        ),
        crds=entries.each("crds", written.crds, entries.document),
        open_api=entries.attempt(lambda: _open_api(written, entries), None),
        replacements=entries.attempt(lambda: load_replacements(written.replacements, entries), ()),
        patches=entries.each("patches", written.patches, entries.patch),
        patches_strategic_merge=entries.each(
            "patchesStrategicMerge", written.patches_strategic_merge, entries.strategic_merge
        ),
        patches_json6902=entries.each("patchesJson6902", written.patches_json6902, entries.json6902),
        warnings=(*warnings, *entries.warnings),
        is_partial=files.skips_unsupported,
    )
    if entries.findings:
        # Two entries may lead to one mistake, and two to each of these: errors would double per level.
        raise DiagnosticError(*without_repetition(entries.findings))
    return root


def _read_data(
    entries: EntryLoader, args: GeneratorArgs, _site: Site, *, is_secret: bool = False
) -> DataGenerator:
    from renderer.kustomize.reader.generator_data import read_data  # noqa: PLC0415 - few overlays generate any

    return read_data(args, partial(entries.file, is_of_secret=is_secret), is_secret=is_secret)


def _open_api(written: Kustomization, entries: EntryLoader) -> OpenApi | None:
    """Return the author's schema, or the version of a builtin one (``openapi.go`` SetSchema)."""
    if not written.open_api:
        return None
    site = written.site.below("openapi")
    path, version = written.open_api.get("path"), written.open_api.get("version", "")
    if path is None:
        return OpenApi(site, None, version)
    if "version" in written.open_api:
        raise Diagnostic.at(
            site, Code.KUSTOMIZATION_FIELD, "openapi has both path and version", "remove one of them"
        ).error()
    return OpenApi(site, entries.document(path, site.below("path")))


def load_files(
    fs: FileSystem, files: Iterable[str], *, generated_names: bool = False
) -> Outcome[ResourceSet]:
    """Return the objects in resource files, in order, with warnings. Raises ``DiagnosticError``.

    ``generated_names``: True if ``metadata.generateName`` is sufficient, as it is for the API server.
    """
    objects: list[Resource] = []
    warnings: list[Diagnostic] = []
    for file in files:
        content, site = fs.read(file), Site(file)
        in_file = read_resources(content, site, generated_names=generated_names)
        if not in_file:  # kustomize skips such a file
            refuse_non_objects(content, site)
        objects += in_file
        warnings += unread_text(content, file)
    return Outcome(ResourceSet(tuple(objects)), tuple(warnings))


def _at_listing(finding: Diagnostic, site: Site) -> Diagnostic:
    """Return the finding; a missing kustomization is reported where its folder is listed."""
    if finding.code is not Code.KUSTOMIZATION_MISSING or not site.field.segments:
        return finding
    return finding._replace(sites=(site,), location=None)


class Loader:
    """Loads any number of folders; shared folders are read once and are the same value in all trees."""

    def __init__(
        self,
        fs: FileSystem,
        restrictor: LoadRestrictor = LoadRestrictor.ROOT_ONLY,
        accumulate: Accumulate = listed_resources,
        recorder: Recorder | None = None,
        *,
        skips_unsupported: bool = False,
    ) -> None:
        """``accumulate`` composes folders that hold configurations of plugins."""
        self._recorder = recorder or Recorder()
        self._files = SourceFiles(fs, restrictor, skips_unsupported=skips_unsupported)
        self._accumulate = accumulate
        self._roots: dict[str, KustomizationRoot | DiagnosticError] = {}
        #: A bit for each folder, and the bits of the folders that each one uses, with its own.
        self._bits: dict[str, int] = {}
        self._below: dict[str, int] = {}

    @property
    def folders(self) -> frozenset[str]:
        """Return every folder that has been read as a kustomization so far."""
        return frozenset(self._roots)

    def load(self, path: str, listed_at: Site | None = None) -> SourceTree:
        """Load everything that the build of the folder ``path`` needs. Raises ``DiagnosticError``.

        ``listed_at`` is the site in the project that names the folder.
        """
        site = listed_at or Site(path)
        folder = self._files.folder(path, ".", site)
        return SourceTree(self._root(folder, AncestorChain(), site))

    def load_completed(self, completed: CompletedKustomization) -> SourceTree:
        """Load ``completed`` in place of the kustomization file of its folder. Raises ``DiagnosticError``.

        The root is read each time; what it lists is shared with other trees.
        """
        site = Site(completed.folder)
        folder = self._files.folder(completed.folder, ".", site)
        entered = AncestorChain().enter(folder, site)
        with self._recorder.using(Task("folder", folder)):
            try:
                return SourceTree(self._read(folder, entered, completed))
            except DiagnosticError as error:
                raise DiagnosticError(*(_at_listing(found, site) for found in error.diagnostics)) from None

    def _root(self, folder: str, ancestors: AncestorChain, site: Site) -> KustomizationRoot:
        """Return the root in ``folder``, which is listed at ``site``."""
        entered = ancestors.enter(folder, site)
        with self._recorder.using(Task("folder", folder)):
            if folder not in self._roots:
                self._roots[folder] = self._read_root(folder, entered)
            else:
                below = self._below.get(folder, 0)
                ancestors.check(lambda other: bool(below & self._bits.get(other, 0)), site)
        root = self._roots[folder]
        if isinstance(root, DiagnosticError):
            raise DiagnosticError(*(_at_listing(found, site) for found in root.diagnostics))
        return root

    def _read_root(self, folder: str, ancestors: AncestorChain) -> KustomizationRoot | DiagnosticError:
        spend(_STEPS_PER_ROOT, "reading kustomizations")
        try:
            root = self._read(folder, ancestors)
        except DiagnosticError as error:
            return error
        below = self._bits[folder] = 1 << len(self._bits)
        for used in root.used_roots():
            below |= self._below[used.folder]
        self._below[folder] = below
        return root

    def _read(
        self, folder: str, ancestors: AncestorChain, completed: CompletedKustomization | None = None
    ) -> KustomizationRoot:
        return read_root(
            self._files,
            folder,
            lambda used, site: self._root(used, ancestors, site),
            self._accumulate,
            completed,
        )
