"""The objects of an import as they are written: fitted, without credentials, each in its file."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from renderer.adopt.dump.credentials import withhold
from renderer.adopt.dump.gather import UserObject
from renderer.adopt.dump.sources import FITTED, NAMED, SourceObject
from renderer.adopt.fit.grouping import grouped
from renderer.app.cluster_import.existing import ExistingSources
from renderer.app.cluster_import.fit import FittedMachines
from renderer.app.cluster_import.revisions import DetachedVm
from renderer.authoring.pins.folder import PINS
from renderer.emit.layout import file_paths
from renderer.kubevirt.facts.kinds import VM
from renderer.kubevirt.facts.virtual_machine import has_matchers
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Severity
from renderer.model.kube.json import JsonObject, object_at, text_at
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource
from renderer.model.masking import Masking
from renderer.model.render_config import PER_RESOURCE, ExpandMode
from renderer.model.text_enum import TextEnum


class Secrets(TextEnum):
    """How to import Secrets, and cloud-init data that contains credentials."""

    PLACEHOLDER = "placeholder"
    PLAIN = "plain"


class WrittenContent(NamedTuple):
    """An object as it is written; ``moved_from`` are the fields whose values are missing in a placeholder."""

    content: JsonObject
    is_placeholder: bool = False
    is_fitted: bool = False
    moved_from: tuple[str, ...] = ()


def written_contents(
    found: Sequence[UserObject],
    detached: Sequence[DetachedVm],
    fitted: FittedMachines,
    secrets: Secrets,
    known: Masking,
) -> tuple[list[WrittenContent], list[Diagnostic]]:
    """Return the objects to write, without credentials, and findings about objects that cannot be written.

    ``known`` are the credentials in Secrets of the dump, which other objects may repeat.
    """
    contents: list[WrittenContent] = []
    findings: list[Diagnostic] = []
    for position, (each, result) in enumerate(zip(found, detached, strict=True)):
        content = fitted.contents.get(position, result.content)
        is_fitted = position in fitted.contents
        if secrets is Secrets.PLAIN:
            contents.append(WrittenContent(content, is_fitted=is_fitted))
            continue
        withheld = withhold(content, known)
        if withheld.content is not None:
            contents.append(WrittenContent(withheld.content, is_fitted=is_fitted))
        owner = f"{text_at(content, 'kind')} {text_at(content, 'metadata', 'name')}"
        for placeholder in withheld.placeholders:
            moved_from = tuple(f"{field} of {owner}" for field in placeholder.moved_from)
            contents.append(WrittenContent(placeholder.content, is_placeholder=True, moved_from=moved_from))
        if withheld.fields:
            resource, field = each.resource, withheld.fields[0]
            if withheld.content is None:
                message = f"{resource.current_id} is left out: {str(field) or 'it'} seems to hold credentials"
                hint = "remove them from the object, or import it with --secrets plain"
            else:
                message = (
                    f"{field} of {resource.current_id} seems to hold credentials:"
                    " it moves to a Secret to seal"
                )
                hint = "apply the Secret before the machine; --secrets plain writes the text as it is"
            findings.append(
                Diagnostic(
                    Code.CREDENTIALS_WITHHELD,
                    message,
                    hint=hint,
                    severity=Severity.WARNING,
                    location=each.location,
                    resource=resource.current_id,
                )
            )
    return contents, findings


def assign_files(
    contents: Sequence[WrittenContent], existing: ExistingSources
) -> tuple[Mapping[str, ExpandMode], tuple[SourceObject, ...]]:
    """Return the objects with their files, and the new folders whose machines are expanded.

    An object that Git has keeps its folder. A fitted machine is expanded when it is rendered, and is then
    equal to the cluster's, so it gets a separate folder if other machines of its namespace keep their
    matchers. In the same way, a machine with matchers does not go to a folder whose machines are expanded.
    """
    paths = file_paths([Resource(each.content, Site("")) for each in contents], PER_RESOURCE)
    with_matchers = {
        posixpath.dirname(path)
        for path, each in zip(paths, contents, strict=True)
        if not each.is_fitted and has_matchers(each.content)
    }
    objects: list[SourceObject] = []
    modes: dict[str, ExpandMode] = {}
    for path, each in zip(paths, contents, strict=True):
        folder, name = posixpath.split(path)
        present = existing.folder_of(each.content)
        is_expanded = existing.modes.get(folder, ExpandMode.OFF) is not ExpandMode.OFF
        if present in (f"{folder}{FITTED}", f"{folder}{NAMED}"):
            folder = present or folder
        elif each.is_fitted and not is_expanded and (folder in with_matchers or folder in existing.folders):
            folder += FITTED
        elif is_expanded and present is None and has_matchers(each.content) and not each.is_fitted:
            folder += NAMED
        if each.is_fitted and folder not in existing.folders:
            modes[folder] = ExpandMode.APPLIED
        file = posixpath.join(folder, name)
        objects.append(SourceObject(file, each.content, each.is_placeholder, each.moved_from))
    return modes, tuple(objects)


def with_groups(
    objects: tuple[SourceObject, ...], label: str, is_taken: Callable[[str], bool]
) -> tuple[SourceObject, ...]:
    """Return the objects, with machines that share a value of ``label`` as a base and patches.

    A group whose folder ``is_taken`` stays as it is: the machines get files of their own.
    """
    regrouped = list(objects)
    for folder in sorted({each.folder for each in objects}):
        positions = [
            position
            for position, each in enumerate(objects)
            if each.folder == folder and text_at(each.content, "kind") == VM and not is_taken(each.path)
        ]
        for group in grouped([objects[position].content for position in positions], label):
            if group.folder == PINS or is_taken(posixpath.join(folder, group.folder)):
                continue
            files = {posixpath.join(folder, path): text for path, text in group.files.items()}
            for member in group.members:
                position = positions[member]
                regrouped[position] = objects[position]._replace(group=group.folder, group_files=files)
    return tuple(regrouped)


def with_labels_of(content: JsonObject, written: JsonObject) -> JsonObject:
    """Return an object of the cluster with the labels and annotations that only ``written``, in Git, has."""
    metadata = dict(object_at(content, "metadata"))
    for section in ("labels", "annotations"):
        both = {**object_at(written, "metadata", section), **object_at(metadata, section)}
        if both:
            metadata[section] = both
    return {**content, "metadata": metadata}
