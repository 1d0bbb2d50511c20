"""The guest data of machines as rules see it: the files of a machine, and problems in their text."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache, partial, wraps
from typing import Concatenate, ParamSpec, TypeVar

from renderer.checks.rules.context import Context
from renderer.checks.rules.rule import Finding, related_to
from renderer.files.file_system import folder_of
from renderer.kubevirt.facts.kinds import CONFIG_MAP, SECRET
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.kubevirt.guest_data.sources import (
    GuestFile,
    MissingKey,
    Role,
    fields_of_data,
    guest_files,
    makes_secret,
)
from renderer.model.field_edit import RenameField
from renderer.model.kube.encryption import is_encrypted
from renderer.model.kube.field_path import FieldPath, Segment
from renderer.model.kube.resource import DataPlace, Resource
from renderer.model.kube.sharing import once_for_same
from renderer.model.record import Record
from renderer.model.run.work import spend
from renderer.model.suggest import suggest
from renderer.yamlio.events import document_count
from renderer.yamlio.marks import MarkedFile

_SECRET_KEY = "secretKey"  # noqa: S105 - a field, no password
#: The work steps of looking for mistakes in the data of a guest, for each byte.
_STEPS_PER_BYTE = 3
P = ParamSpec("P")
T = TypeVar("T")


class Problem(Record):
    """A mistake in a text; ``line`` and ``column`` count from 1, a line of 0 is not known."""

    message: str
    hint: str
    line: int = 0
    column: int = 1


def once_for_equal_data(
    find: Callable[Concatenate[bytes, P], Iterable[T]],
) -> Callable[Concatenate[bytes, P], Sequence[T]]:
    """Return ``find``, which reads data of a guest, called once for equal data and counted as work.

    The machines of a fleet have few different data; the last 512 results are kept.
    """

    @lru_cache(maxsize=512)
    @wraps(find)
    def found(content: bytes, /, *args: P.args, **named: P.kwargs) -> Sequence[T]:
        spend(_STEPS_PER_BYTE * len(content), "reading the data of guests")
        return tuple(find(content, *args, **named))

    return found  # type: ignore[return-value]  # lru_cache has no types of arguments


class GuestYaml(Record):
    """The text of YAML data, which begins on ``line`` of its file; it makes problems with their lines."""

    text: str
    line: int

    def problem(self, path: tuple[Segment, ...], message: str, hint: str) -> Problem:
        """Return a problem at the value with that path, or at the nearest one above it."""
        mark = _marked(self.text).find(0, FieldPath(path)) if self.line else None
        if mark is None:
            return Problem(message, hint, self.line)
        return Problem(message, hint, self.line + mark.line - 1, mark.column)


@lru_cache(maxsize=4)  # a text may have many problems
def _marked(text: str) -> MarkedFile:
    return MarkedFile(text.encode("utf-8", "replace"))


def files_of(context: Context, machine: VirtualMachineView) -> Sequence[GuestFile | MissingKey]:
    """Return the guest data of a machine, with what the overlay has of its Secrets and ConfigMaps.

    The last answer is kept: all rules about a machine ask for it before those about the next one.
    """
    last, files = context.guest_files
    if last is not machine:
        files = tuple(guest_files(machine, partial(_guest_data_named, context), context.release))
        context.guest_files = machine, files
    return files


def objects_named(context: Context, kind: str, name: str, namespace: str) -> list[Resource]:
    """Return the objects of the overlay with that kind and name that may be in the namespace."""
    return [
        item.resource
        for item in (context.inventory.named_in(kind, name, namespace) if name else ())
        if item.resource.kind == kind
    ]


def _guest_data_named(context: Context, kind: str, name: str, namespace: str) -> list[Resource]:
    """Return the objects as ``objects_named`` does, and those that list the keys of a Secret to be made."""
    if kind != SECRET or not name:
        return objects_named(context, kind, name, namespace)
    items = context.inventory.named_in(kind, name, namespace)
    return [each.resource for each in items if makes_secret(each.resource, name)]


def finding(file: GuestFile, problem: Problem) -> Finding:
    """Return the finding about a problem in a file."""
    location = file.location(problem.line, problem.column)
    message = problem.message
    if problem.line > 1 and location is None:
        message = f"{message} (line {problem.line} of the text)"
    return Finding(file.resource, file.field, message, problem.hint, location=location)


def name_of(file: GuestFile) -> str:
    """Return the name of a file as messages have it: userData, or userdata of Secret web."""
    if file.resource is file.machine.resource:
        return file.name
    return f"{file.name} of {file.resource.kind} {file.resource.name}"


def missing_key_finding(missing: MissingKey) -> Finding:
    """Return the finding about an object without the key, at a key that was probably meant."""
    consequence = "does not start the machine" if missing.is_alone else f"gives the guest no {missing.role}"
    wanted = " or ".join(missing.keys if missing.role is Role.ANSWER_FILE else missing.keys[:1])
    message = (
        f"{missing.resource.kind} {missing.resource.name} has no key {wanted}, so KubeVirt {consequence}"
    )
    used = related_to(
        missing.machine.resource,
        f"{missing.machine.kind} {missing.machine.name} reads it here",
        missing.reference,
    )
    similar = _similar_keys(missing.resource, missing.keys)
    key, meant = next(iter(similar.items()), ("", ""))
    if not similar and len(missing.present) == 1 and missing.role is not Role.ANSWER_FILE:
        key, meant = next(iter(missing.present)), missing.keys[0]  # it can only be meant for cloud-init
    if meant:
        hint, place, field = (
            f"rename the key {key} to {meant}",
            missing.resource.data_place(key),
            missing.present[key],
        )
        if field.segments[-1] == _SECRET_KEY:  # the key is the value of a field of an ExternalSecret
            hint = f"write {_SECRET_KEY}: {meant}"
        if place is None:
            # SOPS binds each ciphertext to its key. A controller may read the key in a template.
            is_plain = missing.resource.kind in (SECRET, CONFIG_MAP) and not is_encrypted(missing.resource)
            fix = RenameField(field, meant) if len(similar) == 1 and is_plain else None
            return Finding(missing.resource, field, message, hint, (used,), fix=fix)
        if place.file and not place.line:
            hint = f"write {meant}={_as_listed(place)}"
        return Finding(missing.resource, field, message, hint, (used,), site=place.site)
    there = related_to(missing.resource, f"{missing.resource.kind} {missing.resource.name} is here")
    hint = f"add the data as {missing.keys[0]}"
    return Finding(missing.machine.resource, missing.reference, message, hint, (there,))


@once_for_same
def _similar_keys(resource: Resource, keys: tuple[str, ...]) -> Mapping[str, str]:
    """Return the keys of a Secret or ConfigMap that may be misspelt, and the known key of each."""
    near = ((each, nearest_key(each, keys)) for each in fields_of_data(resource))
    return {key: meant for key, meant in near if meant}


def _as_listed(place: DataPlace) -> str:
    """Return the path of the file as the generator in the kustomization names it."""
    return posixpath.relpath(place.file, folder_of(place.site.path))


def has_several_documents(text: str) -> bool:
    """Return True if the YAML text has more than one document, which cloud-init refuses."""
    return "\n---" in text and document_count(text) > 1


def nearest_key(written: object, known: tuple[str, ...]) -> str | None:
    """Return the known key that ``written`` probably means; None for a known key or another word."""
    if not isinstance(written, str) or written in known:
        return None
    plain = {_plain(key): key for key in reversed(known)}
    if _plain(written) in plain:
        return plain[_plain(written)]
    near = suggest(written, known, most=1, cutoff=0.8)
    return near[0] if near else None


def _plain(key: str) -> str:
    return key.lower().replace("-", "").replace("_", "")
