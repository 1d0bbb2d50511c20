"""The files in an overlay's folder ``pins``: what each says and is called, down to the last byte.

A file is ours when it is what we would write for what it says. So a merge in Git leaves our files ours, and a
change by hand, be it a comment, does not.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass

from renderer.model.json import Json, JsonObject, content_digest, object_at, text_at
from renderer.yamlio.encode import encode

REVISION_KIND = "ControllerRevision"

_COMPONENT_HEADER = """\
# Written by vmrender pin. The virtual machines in patches keep the instance types and preferences in
# resources, whatever becomes of the catalog. To let go of one: vmrender unpin.
"""
_REVISION_HEADER = (
    "# Written by vmrender pin: a copy, named after its content. Pin anew instead of changing it.\n"
)
_PATCH_HEADER = (
    "# Written by vmrender pin. To take what is in the catalog now: vmrender pin --update, or unpin.\n"
)

_UNSAFE = re.compile(r"[^a-z0-9._-]")
_LONGEST_NAME = 200


@dataclass(frozen=True, slots=True)
class PinFile:
    """One object in the folder: a ControllerRevision, or the patch of a VirtualMachine."""

    name: str
    content: JsonObject

    @classmethod
    def of(cls, content: JsonObject) -> PinFile:
        return cls(_file_name(content), content)

    @property
    def is_revision(self) -> bool:
        return self.content.get("kind") == REVISION_KIND

    @property
    def is_consistent(self) -> bool:
        """Whether a revision still holds what its name says."""
        name = text_at(self.content, "metadata", "name")
        return not self.is_revision or name.endswith(content_digest(self.content.get("data")))

    def text(self) -> bytes:
        header = _REVISION_HEADER if self.is_revision else _PATCH_HEADER
        return (header + encode([self.content])).encode()


def component_text(files: Iterable[PinFile]) -> bytes:
    """The kustomization that makes a component of the files."""
    ordered = sorted(files, key=lambda file: file.name)
    resources: Json = [file.name for file in ordered if file.is_revision]
    patches: Json = [{"path": file.name} for file in ordered if not file.is_revision]
    content: JsonObject = {
        "apiVersion": "kustomize.config.k8s.io/v1alpha1",
        "kind": "Component",
        "resources": resources,
        "patches": patches,
    }
    return (_COMPONENT_HEADER + encode([content])).encode()


def _file_name(content: JsonObject) -> str:
    """``<kind>_<namespace>_<name>.yaml`` in lower case; with a digest where a name is not Kubernetes'."""
    metadata = object_at(content, "metadata")
    parts = (text_at(content, "kind"), text_at(metadata, "namespace"), text_at(metadata, "name"))
    exact = "_".join(part for part in parts if part)
    safe = _UNSAFE.sub("-", exact.lower())[:_LONGEST_NAME]
    if safe != f"{parts[0].lower()}{exact[len(parts[0]) :]}":
        safe += f"-{hashlib.sha256(exact.encode('utf-8', 'surrogatepass')).hexdigest()[:10]}"
    return f"{safe}.yaml"
