"""Releases of the project file that are not the ones that the repository installs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple

from renderer.discovery.detected_release import DetectedRelease, detected_releases
from renderer.discovery.manifests import Manifests
from renderer.files.file_system import FileSystem
from renderer.kubevirt.facts.installed_release import Certainty
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Related, Severity
from renderer.model.field_edit import AddField, SetField
from renderer.model.kube.field_path import ROOT, ElementName, FieldPath
from renderer.model.kube.json import object_at
from renderer.model.kube.list_elements import value_at
from renderer.model.kube.location import Location, Site
from renderer.model.release import LATEST, NEWEST, Release
from renderer.model.render_config import PROJECT_FILE, Overlay, RenderConfig
from renderer.pipeline.cluster_files import ClusterFiles
from renderer.pipeline.target_cluster import engine_entry
from renderer.project.excluded_paths import EXAMPLE_FOLDERS
from renderer.yamlio.decode import decode_yaml11


class OtherRelease(NamedTuple):
    """A release that the project file says in a mapping, ``at``, and the one that the repository installs.

    ``is_for_all``: each overlay that is rendered for the one gets the other.
    """

    at: FieldPath
    target: Release
    installed: DetectedRelease
    is_for_all: bool

    def __str__(self) -> str:
        installed = self.installed.release or self.installed.installed.version
        said = next((each.value for each in reversed(self.at.segments) if isinstance(each, ElementName)), "")
        whose = f"{said} is" if said else "the project is"
        return f"the repository installs KubeVirt {installed}, and {whose} rendered for {self.target}"

    @property
    def advice(self) -> str:
        """Return what to do."""
        release = self.installed.release
        if release is None:
            named = Release.parse(self.installed.installed.version).minor_release
            known = f', or write kubevirt: "{named}" for what it knows of it' if named <= NEWEST else ""
            return f"update vmrender, which does not know that release{known}"
        if self.is_for_all:
            return f'write kubevirt: "{release.as_target}"'
        return f'write kubevirt: "{release.as_target}" for the overlays that this is applied with'


def other_releases(
    manifests: Manifests, config: RenderConfig, every: Sequence[Overlay], overlays: Iterable[Overlay]
) -> Iterator[OtherRelease]:
    """Yield each release that ``overlays`` are rendered for, and that no file of their cluster installs.

    ``every`` are all overlays of the project. Of what the files say, the most certain counts; examples and
    the ``KubeVirt`` object of a release do not.
    """
    found = [
        each
        for each in detected_releases(manifests)
        if (each.release or _is_newer(each))
        and each.installed.certainty is not Certainty.OBJECT_FILE
        and EXAMPLE_FOLDERS.isdisjoint(each.path.lower().split("/"))
    ]
    if not found:
        return
    files = ClusterFiles(manifests.fs, config, every)
    alike: dict[tuple[str, str], dict[FieldPath, Overlay]] = {}
    for overlay in overlays:
        of_cluster = alike.setdefault((overlay.cluster, engine_entry(overlay)), {})
        of_cluster.setdefault(_place(config, overlay), overlay)
    others: dict[FieldPath, list[tuple[Release, Sequence[DetectedRelease]]]] = {}
    for of_cluster in alike.values():
        one = next(iter(of_cluster.values()))
        said = [each for each in found if not files.is_of_other_cluster(each.path, one)]
        said = [each for each in said if each.installed.certainty == said[0].installed.certainty]
        # An entry with a release of its own may be for a cluster that the project does not list.
        is_right = any(_is_rendered_for(each, to.kubevirt) for each in said for to in of_cluster.values())
        for at, overlay in of_cluster.items() if said else ():
            others.setdefault(at, []).append((overlay.kubevirt, () if is_right else said))
    for at, found_there in others.items():
        wrong = [(target, said[0]) for target, said in found_there if said]
        if wrong:
            releases = {each.release for _, said in found_there for each in said}
            is_for_all = len(releases) == 1 and len(wrong) == len(found_there)
            yield OtherRelease(at, *wrong[0], is_for_all)


def remarks_on_other_releases(
    fs: FileSystem, config: RenderConfig, every: Sequence[Overlay], overlays: Iterable[Overlay]
) -> Iterator[Diagnostic]:
    """Yield a warning for each release of the project file that the repository does not install."""
    if not fs.is_file(PROJECT_FILE):
        return
    for each in other_releases(Manifests(fs, config.exclude), config, every, overlays):
        written = object_at(decode_yaml11(fs.read(PROJECT_FILE), PROJECT_FILE))
        field, release = each.at.child("kubevirt"), each.installed.release
        edit = None
        if release and each.is_for_all:
            is_written = value_at(written, field.segments) is not None
            add = AddField(each.at, "kubevirt", release.as_target)
            edit = SetField(field, release.as_target) if is_written else add
        related = Related(
            each.installed.installed.reason, location=Location(each.installed.path, each.installed.line)
        )
        yield Diagnostic.at(
            Site(PROJECT_FILE, 0, field),
            Code.INSTALLED_RELEASE,
            str(each),
            each.advice,
            severity=Severity.WARNING,
            related=(related,),
            fix=edit,
        )


def _place(config: RenderConfig, overlay: Overlay) -> FieldPath:
    """Return the mapping of the project file that says, or may say, the release of an overlay."""
    for entry in config.overlays:
        if entry.path == overlay.listed_as and entry.kubevirt:
            return FieldPath.of("overlays", ElementName(entry.listed_by, entry.path))
    return FieldPath.of("clusters", ElementName("name", overlay.cluster)) if overlay.cluster else ROOT


def _is_newer(detected: DetectedRelease) -> bool:
    """Return True for a release of KubeVirt that is newer than all that are known."""
    with suppress(ValueError):
        return Release.parse(detected.installed.version) > LATEST
    return False


def _is_rendered_for(detected: DetectedRelease, target: Release) -> bool:
    """Return True if a release is what a target release means: a minor is any of its patch releases.

    A product's releases are compared by name with each other, and by the minor of KubeVirt with others.
    """
    installed = detected.release or Release.parse(detected.installed.version)
    if detected.installed.upgrades and target >= installed:
        return True
    name, named = (each.product.rpartition("-")[0] for each in (installed, target))
    if name and name == named:
        one, other = (f"{each.product}." for each in (installed, target))
        return one.startswith(other) or other.startswith(one)
    if name or named or not (installed.names_patch and target.names_patch):
        return installed.minor_release[:3] == target.minor_release[:3]
    return installed[:3] == target[:3]
