"""Add the kustomizations, templates and plain manifests of a repository that no engine deploys."""

from __future__ import annotations

import posixpath

from renderer.discovery.engine_objects import EngineObjects
from renderer.discovery.entry_collector import EntryCollector
from renderer.discovery.machines_in_files import are_patches
from renderer.discovery.manifests import Manifests
from renderer.discovery.retired_files import retired_reason
from renderer.discovery.survey_results import FoundEntry, LeftOut
from renderer.files.file_system import FileSystem, folder_of
from renderer.gitops.openshift_template import is_template
from renderer.gitops.templates import parameters_without_value, process_templates
from renderer.kubevirt.facts.kinds import MACHINES
from renderer.kubevirt.vm_template.findings import is_vm_template
from renderer.model.engines import CHART
from renderer.model.entry_point import EntryKind, EntryOptions
from renderer.model.kube.json import array_at, text_at
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.release import LATEST
from renderer.model.render_config import OverlayEntry

_TEMPLATE_SIGNS = (b"template.openshift.io", b"template.kubevirt.io")


def add_kustomizations(manifests: Manifests, collector: EntryCollector, engines: EngineObjects) -> None:
    """Add the outermost kustomizations that use virtual machines, broken ones first."""
    graph = manifests.graph
    broken = [
        root
        for root in manifests.outermost
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
    of_entries = frozenset(collector.assigned)  # several of the folders may share a base
    for folder, reason in left_out.items():
        collector.leave_out(folder, graph.files(folder) - of_entries, reason)


def add_vm_templates(manifests: Manifests, collector: EntryCollector, engines: EngineObjects) -> None:
    """Add what deploys VirtualMachineTemplates, or requests of them, as they are.

    That is a kustomization, or a file of requests that none lists.
    """
    files = [path for path in collector.template_files if path not in collector.assigned]
    unlisted = [path for path in files if not manifests.graph.folders_listing(path)]
    requests = [path for path in unlisted if not any(map(is_vm_template, manifests.read(path)))]
    entries = [
        *map(OverlayEntry, manifests.roots_of(files)),
        *(OverlayEntry(path, entry=EntryOptions(EntryKind.DIRECTORY)) for path in requests),
    ]
    for entry in entries:
        is_in_chart = _is_in_chart(manifests.fs, entry.path)
        if not (is_in_chart or retired_reason(manifests, entry.path) or engines.reason_against(entry.path)):
            collector.add(entry)


def add_templates(manifests: Manifests, collector: EntryCollector) -> None:
    """Add each file of OpenShift Templates or VirtualMachineTemplates, which no entry deploys as they are.

    Files whose templates need values are left out.
    """
    for path, content in manifests.contents.items():
        if path in collector.assigned or not any(sign in content for sign in _TEMPLATE_SIGNS):
            continue
        templates = [each for each in manifests.read(path) if is_template(each) or is_vm_template(each)]
        machines = sum(map(_machines_in_template, templates))
        if not machines:
            continue
        collector.assigned.add(path)
        missing = dict.fromkeys(name for each in templates for name in parameters_without_value(each))
        if missing:
            kind = f"a {templates[0].kind}" if len(templates) == 1 else "templates"
            reason = f"{kind} whose parameters {', '.join(missing)} need values"
            collector.left_out.append(LeftOut(path, machines, reason))
        elif not process_templates(ResourceSet(tuple(templates)), {}, LATEST).failed:
            options = EntryOptions(EntryKind.DIRECTORY, parameters={})
            of_virt_template = sum(map(is_vm_template, templates))
            found = FoundEntry(OverlayEntry(path, entry=options), machines, templates=of_virt_template)
            collector.entries.append(found)


def _machines_in_template(template: Resource) -> int:
    if is_vm_template(template):
        return 1
    return sum(text_at(each, "kind") in MACHINES for each in array_at(template.content, "objects"))


def add_plain_manifests(manifests: Manifests, collector: EntryCollector, engines: EngineObjects) -> None:
    """Add the files that nothing lists: their folders, or else each readable file."""
    by_folder: dict[str, list[str]] = {}
    for path in collector.unassigned:
        if _is_in_chart(manifests.fs, path):
            collector.left_out.append(LeftOut(path, manifests.machine_files[path], "in a Helm chart"))
        elif are_patches(path, manifests.read(path)):
            reason = "it looks like a patch that no kustomization lists"
            collector.left_out.append(LeftOut(path, 0, reason))
        elif collector.is_probable_input(path) or manifests.roots_of([path]):
            continue
        elif reason := retired_reason(manifests, path) or engines.reason_against(path):
            collector.leave_out(path, (path,), reason)
        else:
            by_folder.setdefault(folder_of(path), []).append(path)
    for folder, files in by_folder.items():
        is_entry = folder != "." and _can_be_read_whole(manifests, collector, folder)
        for path in [folder] if is_entry else files:
            collector.add(OverlayEntry(path, entry=EntryOptions(EntryKind.DIRECTORY)))


def _can_be_read_whole(manifests: Manifests, collector: EntryCollector, folder: str) -> bool:
    """Return True if no object of the folder is in two files or two overlays."""
    is_shared = any(folder_of(path) == folder for path in collector.assigned)
    if is_shared or manifests.graph.links(folder) is not None:
        return False
    outcome = collector.compose(OverlayEntry(folder, entry=EntryOptions(EntryKind.DIRECTORY)))
    machines = sum(each.kind in MACHINES for each in outcome.value)
    return not outcome.failed and machines == sum(
        count for path, count in manifests.machine_files.items() if folder_of(path) == folder
    )


def _is_in_chart(fs: FileSystem, path: str) -> bool:
    while path:
        path = posixpath.dirname(path)
        if fs.is_file(posixpath.join(path, CHART)):
            return True
    return False
