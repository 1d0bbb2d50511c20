"""Build a Flux Kustomization as kustomize-controller does: generate, compose, substitute, set metadata.

An overlay that names a Flux Kustomization only for its variables is just substituted (``FluxVariables``).
"""

# ruff: noqa: PLC0415 - a stage is imported when it is first needed

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from renderer.files.file_system import FileSystem
from renderer.files.recorder import Recorder, Task
from renderer.kustomize.reader.find_kustomization import LoadRestrictor
from renderer.model.codes import Code, Trait
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Outcome, Severity, has_errors
from renderer.model.engines import SOURCE_IGNORE
from renderer.model.entry_point import ComposedArtifact, Strictness
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.kustomization import CompletedKustomization
from renderer.model.record import Record
from renderer.model.release import Release
from renderer.model.render_config import MergeKeys, Overlay
from renderer.model.run.taint import taint
from renderer.pipeline.generators import GENERATORS

if TYPE_CHECKING:
    from renderer.gitops.flux.artifact import ArtifactFileSystem
    from renderer.gitops.substitution.post_build import Variables
    from renderer.gitops.substitution.substitute import SecondPass, Substitutions
    from renderer.gitops.substitution.unset_variables import UnsetVariable
    from renderer.gitops.unbuilt_folders import UnbuiltFolders
    from renderer.kustomize.compose import Composer
    from renderer.kustomize.reader.load import Loader
    from renderer.provenance.trace import Trace


class BuildContext(Record):
    """The options and observers of all builds of a run."""

    merge_keys: MergeKeys = MergeKeys.KUSTOMIZE
    trace: Trace | None = None
    recorder: Recorder | None = None


_PLAIN = BuildContext()


class CompletedBuilds:
    """Builds kustomizations that an engine completed; files and bases that several of them use are read once.

    Only kustomize sorts the objects by kind.
    """

    def __init__(
        self,
        fs: FileSystem,
        restrictor: LoadRestrictor,
        context: BuildContext = _PLAIN,
        *,
        sorted_by_kind: bool,
    ) -> None:
        from renderer.kustomize.compose import BuildOptions
        from renderer.kustomize.order import Reorder

        self._fs = fs
        self._restrictor = restrictor
        self._context = context
        reorder = Reorder.LEGACY if sorted_by_kind else Reorder.NONE
        self._options = BuildOptions(reorder=reorder, merge_keys=context.merge_keys)
        self._loaders: dict[bool, Loader] = {}

    def compose(
        self, completed: CompletedKustomization, *, skips_unsupported: bool = False
    ) -> Outcome[ResourceSet]:
        """Return the resources of a kustomization.

        ``skips_unsupported``: without what needs other repositories, charts or plugins.
        """
        try:
            tree = self._loader(skips_unsupported=skips_unsupported).load_completed(completed)
            # Not one composer for all builds: it keeps the resources of every root.
            return self._composer().compose(tree)
        except DiagnosticError as error:
            return Outcome(ResourceSet(), error.diagnostics)

    def compose_supported(self, completed: CompletedKustomization) -> Outcome[ResourceSet]:
        """Return the resources as ``compose``; of a failure, the objects that can be followed.

        If only charts or bases in other repositories make the build fail, the outcome has their errors and
        the other resources. If those cannot be read either, it has the errors about them as warnings.
        """
        return self.with_supported_part(self.compose(completed), completed)

    def with_supported_part(
        self, composed: Outcome[ResourceSet], completed: CompletedKustomization
    ) -> Outcome[ResourceSet]:
        """Return what ``compose`` returned for the kustomization; of a failure, as ``compose_supported``."""
        if not needs_others(composed):
            return composed
        part = self.compose(completed, skips_unsupported=True)
        if not part.failed:
            return Outcome(part.value, composed.diagnostics)
        unread = [
            each for each in part.diagnostics if each.severity is Severity.ERROR and _is_of_source(each)
        ]
        warnings = (each._replace(severity=Severity.WARNING) for each in unread)
        return Outcome(composed.value, (*composed.diagnostics, *warnings))

    def _composer(self) -> Composer:
        from renderer.kustomize.compose import Composer

        return Composer(GENERATORS, self._options, self._context.trace)

    def _loader(self, *, skips_unsupported: bool) -> Loader:
        from renderer.kustomize.reader.load import Loader

        if skips_unsupported not in self._loaders:
            self._loaders[skips_unsupported] = Loader(
                self._fs,
                self._restrictor,
                self._composer().accumulate,
                self._context.recorder,
                skips_unsupported=skips_unsupported,
            )
        return self._loaders[skips_unsupported]


def has_unread_part(outcome: Outcome[ResourceSet]) -> bool:
    """Return True if there are objects beside charts and bases in other repositories that cannot be read."""
    return any(map(_is_of_source, outcome.diagnostics))


def _is_of_source(found: Diagnostic) -> bool:
    return Trait.SOURCE in found.code.traits


def needs_others(outcome: Outcome[ResourceSet]) -> bool:
    """Return True if charts, or bases in other repositories, are the only obstacles to building it."""
    errors = [found for found in outcome.diagnostics if found.severity is Severity.ERROR]
    return bool(errors) and all(found.code is Code.UNSUPPORTED_FIELD for found in errors)


def _is_empty_patch(found: Diagnostic) -> bool:
    segments = found.field.segments if found.field else ()
    return segments[1:2] == ("patches",) and segments[-1] == "patch"


class FluxSubstituted(Record):
    """The objects with variables substituted, their confidential values, and variables that are not set."""

    resources: ResourceSet
    confidential: frozenset[str] = frozenset()
    unset: tuple[UnsetVariable, ...] = ()


def read_variables(entry: Resource, candidates: Iterable[Resource], *, secrets: bool) -> Outcome[Variables]:
    """Return the variables of ``entry``; missing sources may be in the cluster."""
    from renderer.gitops.entry_fields import KUSTOMIZATION_FORMATS, malformed_fields
    from renderer.gitops.flux.known_fields import SPEC_FIELDS, unknown_fields
    from renderer.gitops.substitution.post_build import VariableReader, read_post_build

    findings: list[Diagnostic] = [*unknown_fields(entry)]
    findings += malformed_fields(entry, KUSTOMIZATION_FORMATS)
    post_build = read_post_build(entry, findings, SPEC_FIELDS, variables_only=False)
    reader = VariableReader(candidates, secrets=secrets, findings=findings, lenient=True)
    variables = reader.read(post_build)
    return Outcome(variables, tuple(findings))


def substitute_variables(
    composed: Outcome[ResourceSet],
    variables: Outcome[Variables],
    again: SecondPass,
    strictness: Strictness,
    known: Substitutions | None = None,
) -> Outcome[FluxSubstituted]:
    """Substitute variables; no resources remain if a value is missing."""
    from renderer.gitops.substitution.substitute import substitute

    found = composed.diagnostics + variables.diagnostics
    confidential = variables.value.confidential
    if variables.failed:
        return Outcome(FluxSubstituted(ResourceSet(), confidential), found)
    outcome = substitute(composed.value, variables.value, strictness, again=again, known=known)
    resources = ResourceSet() if outcome.failed else outcome.value.resources
    confidential |= outcome.value.confidential
    substituted = FluxSubstituted(resources, confidential, outcome.value.unset)
    return Outcome(substituted, found + outcome.diagnostics)


class _Built(Record):
    """The result of building ``entry``, which is kept alive, as its identity is the key."""

    entry: Resource
    resources: tuple[Resource, ...]
    diagnostics: tuple[Diagnostic, ...]


class BuiltOnce:
    """The builds of engine objects: each is built once, to find what it deploys and to render it."""

    def __init__(self, recorder: Recorder | None) -> None:
        self._recorder = recorder or Recorder()
        self._built: dict[int, _Built] = {}

    def of(self, entry: Resource, build: Callable[[], Outcome[ResourceSet]]) -> Outcome[ResourceSet]:
        """Return the resources of the object, built on first use; whoever asks depends on the same files."""
        with self._recorder.using(Task("build", f"{entry.origin.path} {'/'.join(entry.reference)}")):
            if id(entry) not in self._built:
                composed = build()
                self._built[id(entry)] = _Built(entry, composed.value.resources, composed.diagnostics)
        built = self._built[id(entry)]
        return Outcome(
            ResourceSet(built.resources), built.diagnostics
        )  # one whose resources may be taken out


class ArtifactBuilds:
    """Builds Flux Kustomizations of one artifact; what they share of it is read once."""

    def __init__(
        self,
        artifact: FileSystem,
        context: BuildContext = _PLAIN,
        substitutions: Substitutions | None = None,
    ) -> None:
        from renderer.gitops.folder_reader import FolderReader

        self._substitutions = substitutions
        self.artifact = artifact
        self._folders = FolderReader(artifact, context.recorder)
        self._builds = CompletedBuilds(artifact, LoadRestrictor.NONE, context, sorted_by_kind=False)
        self._built = BuiltOnce(context.recorder)
        self._unbuilt: UnbuiltFolders | None = None

    def compose(self, entry: Resource) -> Outcome[ResourceSet]:
        """Return the resources that kustomize builds for the Kustomization ``entry``."""
        from renderer.gitops.entry_fields import empty_fields

        empty = tuple(empty_fields(entry))
        if any(map(_is_empty_patch, empty)):  # kustomize's error about it would name no field
            return Outcome(ResourceSet(), empty)
        return self._built.of(entry, lambda: self._compose(entry))

    def _compose(self, entry: Resource) -> Outcome[ResourceSet]:
        from renderer.gitops.flux.generator import complete

        try:
            return self._builds.compose(complete(self._folders, entry))
        except DiagnosticError as error:
            return Outcome(ResourceSet(), error.diagnostics)

    def compose_folder(self, folder: str, listed_at: Site) -> Outcome[ResourceSet]:
        """Return the resources of a folder that the project names at ``listed_at``."""
        from renderer.gitops.flux.generator import find_or_generate

        try:
            return self._builds.compose(find_or_generate(self._folders, folder, listed_at))
        except DiagnosticError as error:
            return Outcome(ResourceSet(), error.diagnostics)

    def exposed(self, folders: Iterable[str], variables: Variables) -> frozenset[str]:
        """Return the values that go into Secrets of folders that cannot be built."""
        if self._unbuilt is None:
            from renderer.gitops.unbuilt_folders import UnbuiltFolders

            self._unbuilt = UnbuiltFolders(self.artifact)
        return self._unbuilt.exposed(folders, variables)

    def discover(self, entry: Resource, variables: Outcome[Variables]) -> Outcome[FluxSubstituted]:
        """Return the objects that the Kustomization ``entry`` applies.

        Variables without a value in the repository stay unchanged. If it needs charts or other repositories,
        the outcome is a failure with the objects that can be followed.
        """
        from renderer.gitops.flux.applied_objects import read_objects, with_common_metadata
        from renderer.gitops.flux.generator import complete
        from renderer.gitops.substitution.substitute import SecondPass

        composed = self._built.of(entry, lambda: self._compose(entry))
        if needs_others(composed):
            try:
                composed = self._builds.with_supported_part(composed, complete(self._folders, entry))
            except DiagnosticError as error:
                composed = Outcome(ResourceSet(), error.diagnostics)
        if composed.failed and not composed.value:
            return Outcome(FluxSubstituted(ResourceSet()), composed.diagnostics)
        outcome = substitute_variables(
            composed, variables, SecondPass.NEVER, Strictness.LENIENT, self._substitutions
        )
        objects = with_common_metadata(read_objects(outcome.value.resources), entry)
        return Outcome(outcome.value._replace(resources=objects), outcome.diagnostics)


class FluxBuilds:
    """Builds Kustomizations of the artifacts of a repository; each artifact is made once."""

    def __init__(self, fs: FileSystem, context: BuildContext = _PLAIN) -> None:
        from renderer.gitops.substitution.substitute import Substitutions

        self.substitutions = Substitutions()
        self._fs = fs
        self._context = context
        self._recorder = context.recorder or Recorder()
        self._artifacts: dict[str, ArtifactFileSystem] = {}
        self._builds: dict[str, ArtifactBuilds] = {}
        self._composed: dict[str, tuple[ComposedArtifact, ArtifactBuilds]] = {}

    def artifact(self, ignore: str = "") -> ArtifactFileSystem:
        """Return what Flux sees of the repository with the ignore rules of a source."""
        from renderer.gitops.flux.artifact import ArtifactFileSystem

        with self._recorder.using(Task("artifact", ignore)):
            if ignore not in self._artifacts:
                named = self._recorder.ask_for_named(self._fs, SOURCE_IGNORE)
                self._artifacts[ignore] = ArtifactFileSystem(self._fs, ignore, named)
        return self._artifacts[ignore]

    def of_source(self, ignore: str = "") -> ArtifactBuilds:
        """Return the builds of the repository as Flux sees it with the ignore rules of a source."""
        artifact = self.artifact(ignore)
        if ignore not in self._builds:
            self._builds[ignore] = ArtifactBuilds(artifact, self._context, self.substitutions)
        return self._builds[ignore]

    def of_composed(self, artifact: ComposedArtifact) -> ArtifactBuilds:
        """Return the builds of an artifact that an ArtifactGenerator composes."""
        from renderer.gitops.flux.composed_artifact import ComposedFileSystem

        known = self._composed.get(artifact.folder)
        if known is None or known[0] != artifact:
            files = ComposedFileSystem(self._fs, artifact)
            known = artifact, ArtifactBuilds(files, self._context, self.substitutions)
            self._composed[artifact.folder] = known
        return known[1]


class FluxVariables:
    """Variables by overlay; ``compose`` composes a folder that the project names at a site."""

    def __init__(
        self,
        fs: FileSystem,
        compose: Callable[[str, Site | None], Outcome[ResourceSet]],
        release: Release | None = None,
    ) -> None:
        """``release`` is the release of Flux in the project."""
        self._fs = fs
        self._compose = compose
        self._release = release
        self._known: dict[str, Outcome[Variables]] = {}
        self._confidential: dict[str, frozenset[str]] = {}
        self._unbuilt: UnbuiltFolders | None = None

    def substitute(self, overlay: Overlay, composed: Outcome[ResourceSet]) -> Outcome[ResourceSet]:
        """Substitute variables; no resources remain if a value is missing.

        Of an overlay that cannot be built, the confidential variables are noted, and misplaced ones of any.
        """
        if overlay.flux is None:
            return composed
        from renderer.gitops.flux.controller import Controller, strictness
        from renderer.gitops.substitution.substitute import SecondPass
        from renderer.gitops.unbuilt_folders import UnbuiltFolders

        if overlay.path not in self._known:
            findings: list[Diagnostic] = []
            read = self._read(overlay, findings)
            self._known[overlay.path] = Outcome(read, tuple(findings))
        variables = self._known[overlay.path]
        if composed.failed or variables.value.misplaced:
            self._unbuilt = self._unbuilt or UnbuiltFolders(self._fs)
            taint(self._unbuilt.exposed([overlay.path], variables.value))
        if composed.failed:
            return composed
        strict = strictness(self._release, Controller(), strict=overlay.flux.strict)
        outcome = substitute_variables(composed, variables, SecondPass.INCOMPLETE, strict)
        self._confidential[overlay.path] = outcome.value.confidential
        return Outcome(outcome.value.resources, outcome.diagnostics)

    def variables(self, overlay: Overlay) -> Variables | None:
        """Return the variables of an overlay that was already substituted."""
        known = self._known.get(overlay.path)
        return known.value if known else None

    def confidential(self, overlay: Overlay) -> frozenset[str]:
        """Return the confidential values of an overlay that was already substituted."""
        return self._confidential.get(overlay.path, frozenset())

    def _read(self, overlay: Overlay, findings: list[Diagnostic]) -> Variables:
        from renderer.gitops.flux.known_fields import SPEC_FIELDS
        from renderer.gitops.substitution.post_build import VariableReader, Variables, read_post_build
        from renderer.project.flux_sources import FluxSources

        if overlay.flux is None:
            return Variables()
        sources = FluxSources(self._fs, overlay, self._compose_folder)
        try:
            post_build = read_post_build(sources.kustomization(overlay.flux), findings, SPEC_FIELDS)
            names = {source.name for source in post_build.sources}
            candidates = tuple(sources.candidates(overlay.flux, names)) if names else ()
        except DiagnosticError as error:
            findings += error.diagnostics
            return Variables()
        if has_errors(findings):
            return Variables(misplaced=post_build.misplaced)
        return VariableReader(candidates, secrets=overlay.flux.secrets, findings=findings).read(post_build)

    def _compose_folder(self, folder: str, site: Site) -> tuple[Resource, ...]:
        """Return the resources of a folder. Raises ``DiagnosticError``."""
        composed = self._compose(folder, site)
        if composed.failed:
            raise DiagnosticError(*composed.diagnostics)
        return composed.value.resources
