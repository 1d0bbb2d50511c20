"""Write the facts of a cluster, read from a dump of it, into a file that the project names."""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from renderer.adopt.dump.files import find_files
from renderer.adopt.dump.observed_facts import observe_facts
from renderer.adopt.dump.read import read_dump
from renderer.app.cluster_import.revisions import is_same_spec
from renderer.app.exposed_dumps import exposed_dumps
from renderer.app.project import Project
from renderer.app.usage_error import UsageError
from renderer.emit.edit_user_files import change_files, check_writable
from renderer.files.builtin_catalogs import builtin_path, composed_catalog
from renderer.files.file_system import present_content
from renderer.findings.levels import with_levels
from renderer.findings.located import Located
from renderer.findings.run_findings import located_as_given
from renderer.kubevirt.facts.cluster_facts import ClusterFacts
from renderer.model.cluster_settings import COMMON_INSTANCETYPES, is_cluster_name
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, has_errors
from renderer.model.field_edit import AddField
from renderer.model.kube.field_path import ROOT, FieldPath
from renderer.model.kube.json import Json, JsonObject
from renderer.model.kube.location import Location
from renderer.model.kube.resource import ResourceSet
from renderer.model.plural import plural
from renderer.model.render_config import PROJECT_FILE
from renderer.model.vmrender_api import VMRENDER_API_VERSION
from renderer.project.cluster_facts import FACTS_KIND, facts_site, is_facts_file
from renderer.yamlio.edit import EditedText, RefusedEditError, add_entry, edit_fields
from renderer.yamlio.encode import encode_source

_HEADER = """\
# Facts of a cluster, read from a dump of it. Do not edit: vmrender import --facts writes them again.
apiVersion: {version}
kind: {kind}
"""
#: Where the facts go, unless the project names another file.
_DEFAULT_FILE, _FOLDER = "facts.yaml", "facts"
_TITLES = {
    "kubernetes": "Kubernetes",
    "kubevirt": "KubeVirt",
    "hyperconverged": "HyperConverged",
    "cdi": "CDI",
    "flux": "Flux",
    "argocd": "Argo CD",
}
_PRINT_HINT = (
    "print what the cluster has: kubectl get nodes,kubevirts,storageprofiles,storageclasses,datasources,"
    "network-attachment-definitions -A -o yaml"
)


class FactsImport(NamedTuple):
    """A dump in ``files`` and folders (``-`` is the ``piped`` content) of the ``cluster`` of that name."""

    files: tuple[str, ...]
    piped: BinaryIO
    cluster: str = ""
    dry_run: bool = False


class FactsSummary(NamedTuple):
    """The facts in the file ``path``; ``written`` are the files that changed, or would in a dry run."""

    path: str
    facts: ClusterFacts
    written: tuple[str, ...]
    is_dry_run: bool
    cluster: str = ""

    def lines(self) -> Iterator[str]:
        """Yield the lines that say what the facts are about, and which files were written."""
        versions = (f"{_TITLES[name]} {version}" for name, version in self.facts.versions.items())
        nodes = (plural(count, f"{name} node") for name, count in self.facts.nodes.items())
        counts = Counter(each.kind for each in self.facts.objects)
        objects = (f"{count} {kind}" for kind, count in sorted(counts.items()))
        origin = f" of the cluster {self.cluster}" if self.cluster else ""
        yield f"facts{origin}: {', '.join((*versions, *nodes, *objects))}"
        verb = "would be written" if self.is_dry_run else "written"
        for path in self.written:
            yield f"{path}: {verb}"
        if not self.written:
            yield f"{self.path}: unchanged"

    def as_json(self) -> JsonObject:
        """Return the summary as ``facts`` in ``schemas/vmrender/report.json``."""
        counts = Counter(each.kind for each in self.facts.objects)
        return {
            **({"cluster": self.cluster} if self.cluster else {}),
            "dryRun": self.is_dry_run,
            "path": self.path,
            "versions": dict(self.facts.versions),
            "nodes": dict(self.facts.nodes),
            "objects": dict(sorted(counts.items())),
            "files": list(self.written),
        }


class ImportedFacts(NamedTuple):
    """The findings, and the summary; nothing is written if a finding is an error."""

    findings: tuple[Located, ...]
    summary: FactsSummary | None = None


def import_facts(project: Project, request: FactsImport) -> ImportedFacts:
    """Write the facts of a cluster, and name their file in the project file.

    A file with other facts is replaced. Raises ``UsageError`` without a project file and for an invalid name
    of a cluster, and ``DiagnosticError`` for a file that cannot be written.
    """
    if not project.fs.is_file(PROJECT_FILE):
        raise UsageError(f"facts are of a project: write {PROJECT_FILE} first, with vmrender init", "--facts")
    path = _facts_path(project, request.cluster)
    try:
        observed = observe_facts(read_dump(find_files(request.files, request.piped)))
    except DiagnosticError as error:
        return ImportedFacts(located_as_given(error.diagnostics))
    facts = _without_shipped(observed.facts, project, request.cluster)
    exposed = exposed_dumps(project, request.files) if observed.has_secrets else ()
    findings = with_levels((*observed.findings, *exposed), project.config.rules)
    if not (facts.versions or facts.nodes or facts.objects):
        place = Location(request.files[0]) if request.files else None
        nothing = "the dump says nothing of the cluster itself"
        findings = (*findings, Diagnostic(Code.DUMP_INVALID, nothing, hint=_PRINT_HINT, location=place))
    if has_errors(findings):
        return ImportedFacts(located_as_given(findings))
    check_writable(project.root, (path, PROJECT_FILE))
    before = {each: present_content(project.fs, each) for each in (path, PROJECT_FILE)}
    _check_replaceable(path, before[path])
    writes = {
        path: facts_text(facts).encode(),
        PROJECT_FILE: _with_line(project, before[PROJECT_FILE] or b"", request.cluster, path),
    }
    changed = {each: content for each, content in writes.items() if before[each] != content}
    if not request.dry_run:
        change_files(project.root, changed, (), {each: before[each] for each in changed})
    summary = FactsSummary(path, facts, tuple(changed), request.dry_run, request.cluster)
    return ImportedFacts(located_as_given(findings), summary)


def facts_text(facts: ClusterFacts) -> str:
    """Return the content of a file of facts; equal facts have equal texts."""
    objects: Json = [each.content for each in facts.objects]
    text = _HEADER.format(version=VMRENDER_API_VERSION, kind=FACTS_KIND)
    parts: tuple[tuple[str, Json], ...] = (
        ("versions", dict(facts.versions)),
        ("nodes", dict(facts.nodes)),
        ("objects", objects),
    )
    return text + "".join(encode_source({name: value}) for name, value in parts if value)


def _facts_path(project: Project, cluster: str) -> str:
    """Return the file for the facts: the one that the project names, or else one at its top."""
    if cluster and not is_cluster_name(cluster):
        raise UsageError(f"{cluster!r} is not a name for a cluster", "--cluster")
    config = project.config
    named = next((each.facts for each in config.clusters if each.name == cluster), None)
    named = named if cluster else config.facts
    if named:
        return named
    path = posixpath.normpath(f"{_FOLDER}/{cluster}.yaml") if cluster else _DEFAULT_FILE
    if cluster and not path.startswith(f"{_FOLDER}/"):
        raise UsageError(f"{cluster!r} cannot be the name of a file of facts", "--cluster")
    return path


def _without_shipped(facts: ClusterFacts, project: Project, cluster: str) -> ClusterFacts:
    """Return the facts without instance types and preferences that the built-in catalog has alike."""
    if COMMON_INSTANCETYPES not in project.config.of_cluster(cluster).catalogs:
        return facts
    shipped = composed_catalog(builtin_path(COMMON_INSTANCETYPES.name)) or ResourceSet(())
    specs = {(each.kind, each.name): each.content.get("spec") for each in shipped}
    kept = tuple(
        each
        for each in facts.objects
        if (each.kind, each.name) not in specs
        or each.namespace
        or not is_same_spec(each.content.get("spec"), specs[each.kind, each.name])
    )
    return facts._replace(objects=kept)


def _check_replaceable(path: str, content: bytes | None) -> None:
    """Raise ``DiagnosticError`` for a file that is not one of facts: it would be lost."""
    if content is not None and not is_facts_file(content):
        message = f"{path} is not a file of cluster facts, and is not replaced"
        hint = f"name another file as facts in {PROJECT_FILE}, or move this one"
        raise Diagnostic.in_file(path, Code.IMPORT_REFUSED, message, hint).error()


def _with_line(project: Project, content: bytes, cluster: str, path: str) -> bytes:
    """Return the project file with the line that names the facts. Raises ``DiagnosticError``."""
    config = project.config
    known = next((index for index, each in enumerate(config.clusters) if each.name == cluster), None)
    if cluster and known is None:
        return add_entry(content, PROJECT_FILE, "clusters", {"name": cluster, "facts": path})
    if (config.facts if known is None else config.clusters[known].facts) == path:
        return content
    place = ROOT if known is None else FieldPath.of("clusters", known)
    try:
        return edit_fields(content, EditedText(is_kustomization=True), [AddField(place, "facts", path)])
    except RefusedEditError:
        message = f"{PROJECT_FILE} is written in a way that cannot be edited safely"
        hint = f"add facts: {path} to it yourself, and run this again"
        raise Diagnostic.at(facts_site(cluster), Code.EDIT_REFUSED, message, hint).error() from None
