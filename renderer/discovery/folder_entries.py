"""Add the kustomizations, OpenShift Templates and plain manifests of a repository that no engine deploys."""

from __future__ import annotations

import posixpath

from renderer.discovery.engine_objects import EngineObjects
from renderer.discovery.entry_collector import EntryCollector
from renderer.discovery.machines_in_files import are_patches
from renderer.discovery.manifests import Manifests
from renderer.discovery.retired_files import retired_reason
from renderer.discovery.survey_results import FoundEntry, LeftOut
from renderer.files.file_system import FileSystem
from renderer.gitops.openshift_template import is_template
from renderer.gitops.templates import process_templates
from renderer.kubevirt.facts.kinds import MACHINES
from renderer.model.entry_point import EntryKind, EntryOptions
from renderer.model.kube.json import array_at, object_at, scalar_text, text_at
from renderer.model.kube.resource import ResourceSet
from renderer.model.release import LATEST
from renderer.model.render_config import OverlayEntry


def add_kustomizations(manifests: Manifests, collector: EntryCollector, engines: EngineObjects) -> None:
    """Add the outermost kustomizations that use virtual machines, broken ones first."""
    graph = manifests.graph
    broken = [
        root
        for root in sorted({root for roots in manifests.outermost_users.values() for root in roots})
        if graph.may_be_broken(root)
        and graph.files(root).isdisjoint(collector.assigned)
        and graph.probably_uses(root, manifests.machine_files)
    ]
    others = [folder for folder in manifests.roots_of(collector.unassigned) if folder not in broken]
    roots = (*broken, *(folder for folder in others if not collector.is_probable_input(folder)))
    left_out = {
        folder: reason
        for folder in roots
        if (reason := retired_reason(manifests, folder) or engines.reason_against(folder))
    }
    for folder in (*broken, *others):
        if folder not in left_out and (folder in broken or not collector.is_probable_input(folder)):
            collector.add(OverlayEntry(folder))
    for folder, reason in left_out.items():
        collector.leave_out(folder, graph.files(folder), reason)


def add_templates(manifests: Manifests, collector: EntryCollector) -> None:
    """Add each OpenShift Template as an entry; leave out templates that need values."""
    for path, resource in manifests.objects(b"template.openshift.io", b"kubevirt.io/"):
        if not is_template(resource) or path in collector.assigned:
            continue
        collector.assigned.add(path)
        machines = sum(text_at(each, "kind") in MACHINES for each in array_at(resource.content, "objects"))
        missing = [
            text_at(each, "name")
            for each in array_at(resource.content, "parameters")
            if not scalar_text(object_at(each).get("value", ""))
            and (text_at(each, "generate") or object_at(each).get("required") is True)
        ]
        if missing:
            reason = f"a Template whose parameters {', '.join(missing)} need values"
            collector.left_out.append(LeftOut(path, machines, reason))
        elif machines and not process_templates(ResourceSet((resource,)), {}, LATEST).failed:
            options = EntryOptions(EntryKind.DIRECTORY, parameters={})
            collector.entries.append(FoundEntry(OverlayEntry(path, entry=options), machines))


def add_plain_manifests(manifests: Manifests, collector: EntryCollector, engines: EngineObjects) -> None:
    """Add the files that nothing lists: their folders, or else each readable file."""
    by_folder: dict[str, list[str]] = {}
    for path in collector.unassigned:
        if _is_in_chart(manifests.fs, path):
            collector.left_out.append(LeftOut(path, manifests.machine_files[path], "in a Helm chart"))
        elif are_patches(manifests.read(path)):
            reason = "it looks like a patch that no kustomization lists"
            collector.left_out.append(LeftOut(path, 0, reason))
        elif collector.is_probable_input(path) or manifests.roots_of([path]):
            continue
        elif reason := retired_reason(manifests, path) or engines.reason_against(path):
            collector.leave_out(path, (path,), reason)
        else:
            by_folder.setdefault(posixpath.dirname(path) or ".", []).append(path)
    for folder, files in by_folder.items():
        is_entry = folder != "." and _can_be_read_whole(manifests, collector, folder)
        for path in [folder] if is_entry else files:
            collector.add(OverlayEntry(path, entry=EntryOptions(EntryKind.DIRECTORY)))


def _can_be_read_whole(manifests: Manifests, collector: EntryCollector, folder: str) -> bool:
    """Return True if no object of the folder is in two files or two overlays."""
    is_shared = any((posixpath.dirname(path) or ".") == folder for path in collector.assigned)
    if is_shared or manifests.graph.links(folder) is not None:
        return False
    outcome = collector.compose(OverlayEntry(folder, entry=EntryOptions(EntryKind.DIRECTORY)))
    machines = sum(each.kind in MACHINES for each in outcome.value)
    return not outcome.failed and machines == sum(
        count for path, count in manifests.machine_files.items() if (posixpath.dirname(path) or ".") == folder
    )


def _is_in_chart(fs: FileSystem, path: str) -> bool:
    while path:
        path = posixpath.dirname(path)
        if fs.is_file(posixpath.join(path, "Chart.yaml")):
            return True
    return False
