"""Read a file of cluster facts, which ``vmrender import --facts`` wrote."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NoReturn

from renderer.files.file_system import FileSystem
from renderer.kubevirt.facts.cluster_facts import PROGRAMS, ClusterFacts, fact_of, with_architecture
from renderer.model.cluster_settings import ClusterSettings
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Severity
from renderer.model.kube.field_path import ROOT, ElementName, FieldPath
from renderer.model.kube.json import Json, JsonObject, array_at, object_at, text_at
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource
from renderer.model.render_config import PROJECT_FILE, RenderConfig
from renderer.model.vmrender_api import VMRENDER_API_VERSION
from renderer.yamlio.decode import decode_yaml11
from renderer.yamlio.documents import second_document

FACTS_KIND = "ClusterFacts"
_FIELDS = ("apiVersion", "kind", "versions", "nodes", "objects")
#: The settings that facts say, too; what the project file says counts.
_RELEASES = ("kubevirt", "kubernetes", "flux")


def facts_site(cluster: str) -> Site:
    """Return the site where the project names the facts of a cluster; an empty name is the default one."""
    at = FieldPath.of("clusters", ElementName("name", cluster)) if cluster else ROOT
    return Site(PROJECT_FILE, 0, at.child("facts"))


def read_cluster_facts(fs: FileSystem, path: str, cluster: str = "") -> ClusterFacts:
    """Return the facts of a cluster in the file that the project names.

    Raises ``DiagnosticError``: config-invalid for a missing file, and for one that no import writes, with the
    first thing that is wrong; and the decoder's errors.
    """
    if not path:
        return ClusterFacts()
    if not fs.is_file(path):
        message = f"there is no file {path} with the facts of the cluster"
        raise Diagnostic.at(facts_site(cluster), Code.CONFIG_INVALID, message, _hint(cluster)).error()
    return _parse(fs.read(path), path, cluster)


def with_releases_of_facts(fs: FileSystem, config: RenderConfig, written: JsonObject) -> RenderConfig:
    """Return the project with the releases that the facts of its clusters say, where it says none itself.

    ``written`` is the content of the project file. Raises ``DiagnosticError`` as ``read_cluster_facts``.
    """
    clusters = tuple(_with_releases(fs, each) if each.facts else each for each in config.clusters)
    config = config._replace(clusters=clusters)
    if not config.facts:
        return config
    facts = read_cluster_facts(fs, config.facts)
    known = {name: getattr(facts, name) for name in _RELEASES if name not in written}
    return config._replace(**{name: release for name, release in known.items() if release is not None})


def _with_releases(fs: FileSystem, settings: ClusterSettings) -> ClusterSettings:
    facts = read_cluster_facts(fs, settings.facts or "", settings.name)
    known = {name: getattr(facts, name) for name in _RELEASES if getattr(settings, name) is None}
    return settings._replace(**known)


def outdated_facts(fs: FileSystem, config: RenderConfig) -> Iterator[Diagnostic]:
    """Yield a warning for each cluster whose facts are of another release of KubeVirt than the project's."""
    listed = () if config.cluster else tuple(each.name for each in config.clusters if each.facts)
    for cluster in (config.cluster, *listed):
        seen = config.of_cluster(cluster)
        facts = read_cluster_facts(fs, seen.facts, cluster)
        if facts.kubevirt and facts.kubevirt.minor_release[:3] != seen.kubevirt.minor_release[:3]:
            yield Diagnostic.at(
                facts_site(cluster),
                Code.FACTS_OUTDATED,
                f"the facts are of KubeVirt {facts.kubevirt}, but kubevirt says {seen.kubevirt}",
                f"{_hint(cluster)}; or correct kubevirt",
                severity=Severity.WARNING,
            )


def is_facts_file(content: bytes) -> bool:
    """Return True if an import may replace the file, however damaged it is: it was a file of facts."""
    return not content.strip() or any(
        line.strip() == f"kind: {FACTS_KIND}".encode() for line in content.splitlines()
    )


def _hint(cluster: str) -> str:
    name = f" --cluster {cluster}" if cluster else ""
    return f"import the facts again from a new dump: vmrender import DUMP{name} --facts"


@lru_cache(maxsize=16)
def _parse(content: bytes, path: str, cluster: str) -> ClusterFacts:
    """Return the facts in a file, once for each content: the project and its catalogs need them."""

    def refuse(at: FieldPath, message: str, hint: str = "") -> NoReturn:
        raise Diagnostic.at(Site(path, 0, at), Code.CONFIG_INVALID, message, hint or _hint(cluster)).error()

    written = decode_yaml11(content, path, unique_keys=True)
    if not isinstance(written, dict) or written.get("kind") != FACTS_KIND:
        refuse(
            ROOT,
            f"{path} is not a file of cluster facts",
            "name a file that vmrender import --facts wrote",
        )
    version = written.get("apiVersion")
    if version != VMRENDER_API_VERSION:
        message = f"these facts have the format {version}; this vmrender reads {VMRENDER_API_VERSION}"
        refuse(FieldPath.of("apiVersion"), message)
    if second_document(content):
        refuse(ROOT, f"{path} has a second document, which no import writes")
    for name in written:
        if name not in _FIELDS:
            refuse(FieldPath.of(name), f"cluster facts have no field {name}")
    versions, nodes = object_at(written, "versions"), object_at(written, "nodes")
    for name, text in versions.items():
        if name not in PROGRAMS or not isinstance(text, str):
            refuse(FieldPath.of("versions", name), f"versions.{name} is not what an import writes")
    for name, count in nodes.items():
        if not isinstance(count, int) or isinstance(count, bool) or count < 1:
            refuse(FieldPath.of("nodes", name), f"nodes.{name} is not a number of nodes")
    for name, kind in (("versions", dict), ("nodes", dict), ("objects", list)):
        if not isinstance(written.get(name, kind()), kind):
            refuse(FieldPath.of(name), f"{name} is not what an import writes")
    objects: list[Resource] = []
    for index, each in enumerate(array_at(written, "objects")):
        at = FieldPath.of("objects", index)
        if not isinstance(each, dict) or not text_at(each, "metadata", "name") or fact_of(each) != each:
            refuse(at, f"{_described(each, at)} is not what an import writes")
        objects.append(Resource(with_architecture(each, nodes), Site(path, 0, at)))
    return ClusterFacts(
        {name: text for name, text in versions.items() if isinstance(text, str)},
        {name: count for name, count in nodes.items() if isinstance(count, int)},
        tuple(objects),
    )


def _described(each: Json, at: FieldPath) -> str:
    kind, name = text_at(each, "kind"), text_at(each, "metadata", "name")
    return f"{kind} {name}" if kind and name else str(at)
