"""Results of a survey: entries for ``vmrender.yaml``, each with its own output, and omitted paths."""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from renderer.discovery.detected_release import DetectedRelease, agreed
from renderer.discovery.proposed_clusters import ProposedCluster
from renderer.gitops.argocd.application import DeployedSource
from renderer.model.cluster_settings import ClusterSettings
from renderer.model.release import Release
from renderer.model.render_config import OverlayEntry
from renderer.project.entry_settings import without_extension

#: Separators of a path, and the marks of placeholders in ``output``.
_REPLACED = {ord("/"): "-", ord("{"): None, ord("}"): None}


class FoundEntry(NamedTuple):
    """A possible entry of ``vmrender.yaml``; ``overlays`` is the number of its overlays.

    ``sizes`` is the number of its instance types and preferences, if it has no virtual machine, ``templates``
    that of its VirtualMachineTemplates and requests of them. ``error`` is the reason why it cannot be built,
    empty if it can. ``kept`` says what its engine goes on to apply from other places than the trees.
    ``switch`` says what points the engine at the trees, empty if it is already; ``started`` are the objects
    that are applied by hand for it. ``cautions`` say what else it needs.
    """

    entry: OverlayEntry
    machines: int
    overlays: int = 1
    error: str = ""
    sizes: int = 0
    kept: tuple[str, ...] = ()
    switch: str = ""
    started: tuple[str, ...] = ()
    cautions: tuple[str, ...] = ()
    templates: int = 0


class LeftOut(NamedTuple):
    """A path that has or should deploy virtual machines, and the reason why it is not rendered."""

    path: str
    machines: int
    reason: str


class RootReaders(NamedTuple):
    """The engines that read the top of the repository without a kustomization that lists its resources.

    ``flux`` is the name of a Kustomization of Flux, empty if none reads it, and ``flux_ignore`` its
    repository's ``spec.ignore``. ``applications`` are sources of Argo CD.
    """

    flux: str = ""
    flux_ignore: str = ""
    applications: tuple[DeployedSource, ...] = ()


class Survey(NamedTuple):
    """The entries to render, and what is left out.

    ``broken`` are entries that cannot be built because of an error in the repository; they are also in
    ``left_out``, and nothing replaces them. ``unknown_urls`` are repositories that engine objects name and
    that may be this one; no object names it. ``uses_kubevirt``: files mention KubeVirt.
    ``readers`` are the engines that apply every manifest from the top of the repository. ``proposed`` are
    the clusters that it is for, if it says several, with the catalogs that they would list. ``releases`` is
    what files in none of their folders say about the release.
    """

    entries: tuple[FoundEntry, ...]
    left_out: tuple[LeftOut, ...]
    catalogs: tuple[str, ...]
    releases: tuple[DetectedRelease, ...]
    gates: tuple[str, ...] = ()
    broken: tuple[FoundEntry, ...] = ()
    unknown_urls: tuple[str, ...] = ()
    uses_kubevirt: bool = False
    readers: RootReaders = RootReaders()
    proposed: tuple[ProposedCluster, ...] = ()

    @property
    def clusters(self) -> tuple[ClusterSettings, ...]:
        return tuple(each.settings for each in self.proposed)

    @property
    def release(self) -> Release | None:
        """The release that the repository deploys, if it certainly says one."""
        found = agreed(self.releases)
        return found and found.release

    @property
    def machines(self) -> int:
        return sum(each.machines for each in self.entries)

    @property
    def sizes(self) -> int:
        return sum(each.sizes for each in self.entries)

    @property
    def templates(self) -> int:
        """The number of VirtualMachineTemplates, and of requests, that are deployed as they are."""
        return sum(each.templates for each in self.entries if each.entry.entry.parameters is None)


def with_distinct_outputs(found: Iterable[FoundEntry]) -> Iterator[FoundEntry]:
    """Yield the entries, each with a different folder below ``rendered``.

    An entry keeps its usual folder if no other entry has it; Flux and Argo CD entries have priority. The
    others get a folder named after their whole path, with a number if that is used.
    """
    entries = list(found)
    usual = [
        (
            each.entry.entry.has_engine,
            each.entry.entry.name_prefix or without_extension(posixpath.basename(each.entry.path)),
        )
        for each in entries
    ]
    count = Counter(usual)
    keeps_usual = [
        name != "." and count[has_engine, name] == 1 and (has_engine or (True, name) not in count)
        for has_engine, name in usual
    ]
    used = {name for (_, name), keeps in zip(usual, keeps_usual, strict=True) if keeps}
    tries = Counter[str]()
    for each, keeps in zip(entries, keeps_usual, strict=True):
        if keeps:
            yield each
            continue
        entry = each.entry
        name = without_extension(posixpath.normpath(entry.path)).translate(_REPLACED)
        whole_path = name.replace("..", "-").strip(".") or "top"  # valid in ``output`` and as ``name``
        folder = ""
        while not folder or folder in used:
            tries[whole_path] += 1
            folder = f"{whole_path}-{tries[whole_path]}" if tries[whole_path] > 1 else whole_path
        used.add(folder)
        if entry.entry.has_engine:
            yield each._replace(entry=entry._replace(entry=entry.entry._replace(name_prefix=folder)))
        else:
            yield each._replace(entry=entry._replace(output=f"rendered/{folder}"))
