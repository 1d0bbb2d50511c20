"""Judge a change by the facts about clusters that the project had before it.

What a change writes into the project about its clusters is a claim, which changes no cluster.

A release, gates, configuration and the other facts that ``vmrender.yaml`` has of a cluster decide what is
refused and what needs a restart. A change may correct them, announce an upgrade, or make itself look
harmless. So the second side is also judged as the first side knows its clusters. A ``KubeVirt`` object that
an overlay or an engine applies is a real change of the cluster, and counts.

So do the settings by which vmrender renders what an engine builds by itself, as with other merge keys. They
count where a tree is applied.
"""

from __future__ import annotations

import json
import posixpath
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cached_property
from typing import NamedTuple

from renderer.app.comparison.relocated_overlays import relocation_of
from renderer.app.comparison.side import Side
from renderer.files.file_system import EditedFiles, FileSystem, readable_content
from renderer.findings.located import LocatedError
from renderer.kubevirt.facts.kinds import is_hyperconverged
from renderer.kubevirt.instancetype.cluster_kubevirt import default_kubevirt
from renderer.kustomize.reader.resources import read_resources
from renderer.model.cluster_settings import ClusterSettings
from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.json import EMPTY, JsonObject, object_at
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource
from renderer.model.plural import listed
from renderer.model.release import Release
from renderer.model.render_config import PROJECT_FILE, OverlayEntry, RenderConfig
from renderer.model.run.work import spend

#: The settings of the project that are facts about a cluster, with the words for them.
_CLAIMS: Mapping[str, str] = {
    "kubevirt": "kubevirt",
    "feature_gates": "featureGates",
    "configuration": "configuration",
    "facts": "facts",
    "storage_classes": "storageClasses",
    "golden_images": "goldenImages",
    "kubernetes": "kubernetes",
    "flux": "flux",
}
#: The settings of the project, and of its entries, that no engine knows, with the words for them.
_RENDERING: Mapping[str, str] = {"merge_keys": "mergeKeys", "instancetype_names": "instancetypeNames"}
_ENTRY_RENDERING: Mapping[str, str] = {"flux": "flux", "instancetype_names": "instancetypeNames"}
_ENTRY_OPTIONS: Mapping[str, str] = {
    "strict": "strict",
    "flux_release": "fluxVersion",
    "directory": "directory",
}
#: Where a ``KubeVirt`` object of the first side is put for the second one.
_FORMER = ".vmrender-former-kubevirt-"
_MOST_NAMES = 5


class FormerFacts(NamedTuple):
    """The second side as the first side knows its clusters, and what the change says of them instead.

    ``side`` is None if the sources cannot be used with these facts. ``rendering`` are the settings that the
    change renders with and that no engine knows.
    """

    side: Side | None
    changed: tuple[str, ...]
    rendering: tuple[str, ...]

    @property
    def assumptions(self) -> tuple[str, ...]:
        parts = (
            ("states other facts about the cluster", self.changed),
            ("has other settings, which an engine that applies the sources does not know", self.rendering),
        )
        return tuple(
            f"this change {text} ({listed(each, _MOST_NAMES)}): the worse of both verdicts counts"
            for text, each in parts
            if each
        )


def former_facts(before: Side, after: Side, chosen: Iterable[str]) -> FormerFacts | None:
    """Return the second side under the facts of the first one; None if both have the same facts.

    ``chosen`` are the clusters whose ``KubeVirt`` objects are compared.
    """
    if not all(side.fs.is_file(PROJECT_FILE) for side in (before, after)):
        return None
    # The settings of vmrender.yaml.
    relocations = (relocation_of((before, after), path) for path in after.overlays)
    names = {each.after: each.before for each in relocations if each and each.is_renamed}
    config = _with_facts_of(before.config, after.config, names)
    releases = {path: each.kubevirt for path, each in before.overlays.items() if path in after.overlays}
    if after.asked_release is not None:
        config, releases = config.for_release(after.asked_release), {}
    changed = [*_changed_claims(config, after.config), *_changed_releases(config, after, releases)]
    config, rendering = _rendered_as(before.config, config)
    # The files that it names; one that is applied as well really changes the cluster.
    files = {path: _content(before.fs, path) for path in before.config.facts_files}
    if any(_content(after.fs, path) != content for path, content in files.items()):
        changed.append("the content of facts")
    applied = _AppliedFiles(after, before)
    restored = {
        path: content
        for path in _configuration_files(before)
        if _content(after.fs, path) != (content := _content(before.fs, path)) and path not in applied
    }
    files |= restored
    if any(after.fs.is_file(path) for path in restored):
        changed.append("the content of configuration")
    # The KubeVirt objects, which a catalog or another file may have.
    clusters = tuple(dict.fromkeys(chosen))
    try:
        configured = {cluster: before.configuring(names.get(cluster, cluster)) for cluster in clusters}
        is_other = bool(changed or rendering)
        side = after.under(config, EditedFiles({**files}, after.fs), releases) if is_other else after
        replaced: dict[str, dict[Site, JsonObject]] = {}
        for cluster in clusters:
            old = next(iter(configured[cluster]), None)
            present = side.configuring(cluster)
            different = (each for each in present if old is None or each.content != old.content)
            claimed = [each for each in different if each.origin.path not in applied]
            if claimed or (old is not None and not present):
                changed.append(f"the KubeVirt object{f' of {cluster}' if cluster else ''}")
            for each in claimed:
                former = _former_content(old, each, side.config.of_cluster(cluster).kubevirt)
                replaced.setdefault(each.origin.path, {})[each.origin] = former
            if old is not None and not present:
                files[f"{_FORMER}{cluster}"] = json.dumps(old.content).encode()
                config = _with_configuration(config, cluster)
        files |= {path: _with_contents(side.fs, path, contents) for path, contents in replaced.items()}
        if not changed and not rendering:
            return None
        former_side = after.under(config, EditedFiles(files, after.fs), releases)
        is_known = all(_is_known(former_side, each, before, configured[each]) for each in clusters)
        return FormerFacts(former_side if is_known else None, tuple(changed), rendering)
    except (DiagnosticError, LocatedError):
        return FormerFacts(None, tuple(changed), rendering)


def _with_facts_of(before: RenderConfig, after: RenderConfig, names: Mapping[str, str]) -> RenderConfig:
    """Return the second project with the facts that the first one has of each cluster.

    ``names`` are the names that clusters had before, by those that they have now.
    """
    former = {each.name: each for each in before.clusters}
    known = {new: before.of_cluster(old) for new, old in names.items()}
    clusters: list[ClusterSettings] = []
    for each in after.clusters:
        source = former.get(each.name) or known.get(each.name)
        own = {claim: getattr(source, claim) for claim in _CLAIMS} if source else {}
        clusters.append(each._replace(**own))
    default = known.get("", before)
    own = {claim: getattr(default, claim) for claim in _CLAIMS}
    return after._replace(clusters=tuple(clusters), **own)


def _rendered_as(before: RenderConfig, after: RenderConfig) -> tuple[RenderConfig, tuple[str, ...]]:
    """Return the second project with the settings of the first one that no engine knows, and which differ.

    An entry gets the settings of the former entry with the same path. Either path may be a glob that matches
    the other.
    """
    changed = {
        words: None for name, words in _RENDERING.items() if getattr(before, name) != getattr(after, name)
    }
    former = {(posixpath.normpath(each.path), each.entry.kind): each for each in before.overlays}
    entries: list[OverlayEntry] = []
    for entry in after.overlays:
        path, kind = posixpath.normpath(entry.path), entry.entry.kind
        old = former.get((path, kind))
        if old is None:
            spend(len(former), "looking for the former entries of the project")
            like = (
                each
                for (other, its_kind), each in former.items()
                if its_kind is kind and (fnmatchcase(path, other) or fnmatchcase(other, path))
            )
            old = next(like, entry)
        kept = {name: getattr(old, name) for name in _ENTRY_RENDERING}
        if old.flux is None:
            del kept["flux"]  # an entry without them is rendered with placeholders
        options = entry.entry._replace(**{name: getattr(old.entry, name) for name in _ENTRY_OPTIONS})
        known = entry._replace(entry=options, **kept)
        for names, one, other in (
            (_ENTRY_RENDERING, entry, known),
            (_ENTRY_OPTIONS, entry.entry, known.entry),
        ):
            differ = (name for name in names if getattr(one, name) != getattr(other, name))
            changed |= {f"{names[name]} of {entry.path}": None for name in differ}
        entries.append(known)
    own = {name: getattr(before, name) for name in _RENDERING}
    return after._replace(overlays=tuple(entries), **own), tuple(changed)


def _changed_claims(former: RenderConfig, config: RenderConfig) -> Iterator[str]:
    """Yield the settings about clusters that differ, with the values of a release."""
    for cluster in ("", *(each.name for each in config.clusters)):
        old, new = former.of_cluster(cluster), config.of_cluster(cluster)
        of_cluster = f" of {cluster}" if cluster else ""
        for name, words in _CLAIMS.items():
            if getattr(old, name) != getattr(new, name):
                is_release = name == "kubevirt"
                values = f" {old.kubevirt.as_target} -> {new.kubevirt.as_target}" if is_release else ""
                yield f"{words}{of_cluster}{values}"


def _changed_releases(config: RenderConfig, after: Side, releases: Mapping[str, Release]) -> Iterator[str]:
    """Yield the releases of single overlays that differ from the former ``releases``."""
    for path, release in releases.items():
        overlay = after.overlays[path]
        clusters = (each.of_cluster(overlay.cluster).kubevirt for each in (config, after.config))
        if overlay.kubevirt != release and len({*clusters}) == 1:
            yield f"kubevirt of {path} {release.as_target} -> {overlay.kubevirt.as_target}"


def _with_configuration(config: RenderConfig, cluster: str) -> RenderConfig:
    """Return the project in which the former object is among the objects of a cluster."""
    configuration = (f"{_FORMER}{cluster}", *config.of_cluster(cluster).configuration)
    if not cluster:
        return config._replace(configuration=configuration)
    clusters = (
        each._replace(configuration=configuration) if each.name == cluster else each
        for each in config.clusters
    )
    return config._replace(clusters=tuple(clusters))


def _former_content(old: Resource | None, new: Resource, release: Release) -> JsonObject:
    """Return the former object in place of a new one; without one, it has no settings."""
    if old is None:
        default = EMPTY if is_hyperconverged(new) else object_at(default_kubevirt(release), "spec")
        return {**new.content, "spec": default}
    if old.kind != new.kind:
        return old.content
    return {**old.content, "metadata": object_at(new.content, "metadata")}


def _with_contents(fs: FileSystem, path: str, contents: Mapping[Site, JsonObject]) -> bytes:
    """Return a file in which the objects at these places are replaced by ``contents``."""
    written = read_resources(fs.read(path), Site(path))
    documents = (contents.get(each.origin, each.content) for each in written)
    return "\n---\n".join(map(json.dumps, documents)).encode()


def _is_known(side: Side, cluster: str, before: Side, former: Sequence[Resource]) -> bool:
    """Return True if what configures KubeVirt is as it was, or really changes.

    A kustomization of a catalog may patch the object that was put back.
    """
    applied = _AppliedFiles(side, before)
    present = [each for each in side.configuring(cluster) if each.origin.path not in applied]
    settings = {json.dumps(object_at(each.content, "spec"), sort_keys=True) for each in former[:1]}
    others = {json.dumps(object_at(each.content, "spec"), sort_keys=True) for each in present}
    return not former or others <= settings


class _AppliedFiles(Container[str]):
    """The files that overlays of a side are built from, or that an engine deploys.

    An object that a change adds deploys nothing by itself: an overlay has it, or what the side ``before`` has
    as well deploys it.
    """

    def __init__(self, side: Side, before: Side) -> None:
        self._side = side
        self._before = before

    def __contains__(self, path: object) -> bool:
        return path in self._of_overlays or any(
            map(self._is_deployed, self._side.deployers.deploying(str(path)))
        )

    def _is_deployed(self, deployer: Resource) -> bool:
        known = self._before.deployers.written
        above = (deployer, *self._side.deployers.above([deployer]))
        return deployer.origin.path in self._of_overlays or any(each.object_key in known for each in above)

    @cached_property
    def _of_overlays(self) -> frozenset[str]:
        return frozenset().union(*map(self._side.overlay_files.of, self._side.overlays.values()))


def _configuration_files(side: Side) -> frozenset[str]:
    """Return the files of all ``configuration`` of a project: in its folders, and of their kustomizations."""
    graph, found = side.graph, set[str]()
    waiting = [*side.config.configuration]
    waiting += [path for each in side.config.clusters for path in each.configuration or ()]
    for path in waiting:
        for links in filter(None, map(graph.links, graph.folders(path))):
            found |= {links.file, *links.files}
        if side.fs.is_folder(path):
            waiting += [f"{path}/{name}" for name in side.fs.list(path)]
        elif side.fs.is_file(path):
            found.add(path)
    return frozenset(found)


def _content(fs: FileSystem, path: str) -> bytes:
    return readable_content(fs, path) or b""
