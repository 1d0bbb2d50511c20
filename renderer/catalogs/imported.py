"""A folder made from a release of common-instancetypes, with the digests of what was put into it."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from renderer.catalogs.entry import GROUP, KINDS, is_entry
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Related
from renderer.model.json import text_at
from renderer.model.resource import Resource
from renderer.yamlio.encode import encode

SUMS = "SHA256SUMS"
KUSTOMIZATION = "kustomization.yaml"

_VERSION_LABEL = f"{GROUP}/common-instancetypes-version"
_HEADER = """\
# {name} {release}, as `vmrender catalog import` wrote it. To change something, patch it in another folder
# that lists this one under resources; `sha256sum --check SHA256SUMS` tells whether this one is as it was.
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources:
"""


class Imported(NamedTuple):
    """What goes into the folder by file name, ``size`` objects in all, and the resources that do not."""

    files: Mapping[str, bytes]
    size: int
    left_out: Sequence[Resource]

    @property
    def digest(self) -> str:
        """One digest for all of it: that of the file with the digests."""
        return hashlib.sha256(self.files[SUMS]).hexdigest()


def imported(resources: Iterable[Resource], name: str, release: str) -> Imported:
    """The folder of a catalog: a file for each kind, sorted by name, and a kustomization that lists them.

    Raises ``DiagnosticError``: import-refused when there is nothing to import, duplicate-id for two
    different objects of one name.
    """
    entries: dict[tuple[str, str, str], Resource] = {}
    left_out: list[Resource] = []
    for resource in resources:
        if not is_entry(resource):
            left_out.append(resource)
            continue
        known = entries.setdefault((resource.kind, resource.name, resource.namespace), resource)
        if known.content != resource.content:
            raise _duplicate(known, resource)
    if not entries:
        raise refused(
            "there is no instance type and no preference in it",
            "PATH is a checkout of common-instancetypes, a bundle of it, or a folder with bundles",
        )
    by_kind = {kind: [entries[key] for key in sorted(entries) if key[0] == kind] for kind in KINDS}
    files = {
        f"{kind.lower()}s.yaml": encode(resource.content for resource in found).encode()
        for kind, found in by_kind.items()
        if found
    }
    listed = "".join(f"- {file}\n" for file in sorted(files))
    files[KUSTOMIZATION] = (_HEADER.format(name=name, release=release) + listed).encode()
    sums = "".join(f"{digest_of(files[file])}  {file}\n" for file in sorted(files))
    return Imported({**files, SUMS: sums.encode()}, len(entries), left_out)


def release_label(resources: Iterable[Resource]) -> str | None:
    """The release that a bundle says it is; None where it does not, or says several."""
    found = {text_at(resource.labels, _VERSION_LABEL) for resource in resources if is_entry(resource)} - {""}
    return found.pop() if len(found) == 1 else None


def described_kinds(resources: Iterable[Resource]) -> str:
    """``2 ConfigMaps, 1 Namespace``"""
    counted = Counter(resource.kind for resource in resources)
    return ", ".join(f"{count} {kind}{'' if count == 1 else 's'}" for kind, count in sorted(counted.items()))


def digest_of(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def refused(message: str, hint: str) -> DiagnosticError:
    return DiagnosticError(Diagnostic(code=Code.IMPORT_REFUSED, message=message, hint=hint))


def _duplicate(first: Resource, second: Resource) -> DiagnosticError:
    return DiagnosticError(
        Diagnostic(
            code=Code.DUPLICATE_ID,
            message=f"{second.kind} {second.name} is there twice, with different content",
            sites=(second.origin,),
            resource=second.current_id,
            related=(Related("the other one", (first.origin,)),),
            hint="import the files of one release only",
        )
    )
