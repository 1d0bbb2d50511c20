"""The folder made from a release of common-instancetypes, its digests, and the changes of an import.

An import never touches a file that no import wrote.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from renderer.authoring.catalogs.entry import KINDS, is_entry
from renderer.kubevirt.facts.kinds import INSTANCETYPE_PREFIX
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Related
from renderer.model.digest import sha256
from renderer.model.digest_list import SUMS, checksums, listed_digests
from renderer.model.kube.json import text_at
from renderer.model.kube.resource import Resource
from renderer.model.kustomization import KUSTOMIZATION_FILE
from renderer.model.plural import plural
from renderer.yamlio.encode import encode

_VERSION_LABEL = f"{INSTANCETYPE_PREFIX}common-instancetypes-version"
_HEADER = """\
# {name} {release}, as `vmrender catalog import` wrote it. To change something, patch it in another folder
# that lists this one under resources; `sha256sum --check SHA256SUMS` tells whether this one is as it was.
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources:
"""
#: The files that an import writes, whatever else a list of digests in the folder names.
_FILES = frozenset({*(f"{kind.lower()}s.yaml" for kind in KINDS), KUSTOMIZATION_FILE})


class CatalogFolder(NamedTuple):
    """The files of the folder by name, with ``size`` objects in total, and the resources left out."""

    files: Mapping[str, bytes]
    size: int
    left_out: Sequence[Resource]

    @property
    def digest(self) -> str:
        """Return the digest of the file with the digests: a single digest for the whole folder."""
        return sha256(self.files[SUMS])


def catalog_folder(resources: Iterable[Resource], name: str, release: str) -> CatalogFolder:
    """Return the folder of a catalog: a file for each kind, sorted by name, and their kustomization.

    Raises ``DiagnosticError``: import-refused if there is nothing to import, duplicate-id for two different
    objects of one name.
    """
    entries: dict[tuple[str, str, str], Resource] = {}
    left_out: list[Resource] = []
    for resource in resources:
        if not is_entry(resource):
            left_out.append(resource)
            continue
        known = entries.setdefault((resource.kind, resource.name, resource.namespace), resource)
        if known.content != resource.content:
            raise Diagnostic.at(
                resource.origin,
                Code.DUPLICATE_ID,
                f"{resource.kind} {resource.name} is defined twice, with different content",
                "import the files of one release only",
                resource=resource,
                related=(Related("the other one", (known.origin,)),),
            ).error()
    if not entries:
        raise Diagnostic(
            Code.IMPORT_REFUSED,
            "there is no instance type and no preference in it",
            hint="PATH is a checkout of common-instancetypes, a bundle of it, or a folder with bundles",
        ).error()
    by_kind = {kind: [entries[key] for key in sorted(entries) if key[0] == kind] for kind in KINDS}
    files = {
        f"{kind.lower()}s.yaml": encode(resource.content for resource in found).encode()
        for kind, found in by_kind.items()
        if found
    }
    listed = "".join(f"- {file}\n" for file in sorted(files))
    files[KUSTOMIZATION_FILE] = (_HEADER.format(name=name, release=release) + listed).encode()
    return CatalogFolder({**files, SUMS: checksums(files).encode()}, len(entries), left_out)


def release_label(resources: Iterable[Resource]) -> str | None:
    """Return the release that a bundle declares; None if it declares none or several."""
    found = {text_at(resource.labels, _VERSION_LABEL) for resource in resources if is_entry(resource)} - {""}
    return found.pop() if len(found) == 1 else None


def described_kinds(resources: Iterable[Resource]) -> str:
    """Return ``2 ConfigMaps, 1 Namespace``."""
    counted = Counter(resource.kind for resource in resources)
    return ", ".join(plural(count, kind) for kind, count in sorted(counted.items()))


class ImportPlan(NamedTuple):
    """The changes to a folder: files to write by name, and names to remove."""

    writes: Mapping[str, bytes]
    removals: tuple[str, ...]


def plan_import(new: CatalogFolder, present: Mapping[str, bytes], folder: str, *, force: bool) -> ImportPlan:
    """Return the changes that make ``folder`` contain ``new``; empty if it already does.

    ``present`` has the files of the folder by name. Raises ``DiagnosticError``: foreign-file for conflicting
    files that no import wrote, which ``force`` does not overwrite either; import-refused if the folder has
    another import or one that was changed by hand, unless ``force``.
    """
    # A malformed line is skipped, so its file counts as foreign.
    recorded = {name: digest for name, digest in listed_digests(present.get(SUMS, b"")) if name in _FILES}
    ours = {*recorded, SUMS} if SUMS in present else set[str]()
    # An import that was killed leaves files without their digests, which are written last.
    interrupted = {} if SUMS in present else new.files
    foreign = sorted(
        name
        for name in new.files
        if name in present and name not in ours and present[name] != interrupted.get(name)
    )
    if foreign:
        hint = "move it, or import --into another folder"
        messages = (f"{folder}/{name} is in the way, and no import wrote it" for name in foreign)
        raise DiagnosticError(*(Diagnostic(Code.FOREIGN_FILE, message, hint=hint) for message in messages))
    old = {name: content for name, content in present.items() if name in ours}
    if old == new.files:
        return ImportPlan({}, ())
    if old and not force:
        edited = sorted(name for name, digest in recorded.items() if sha256(old.get(name, b"")) != digest)
        if edited:
            message = f"{', '.join(edited)} in {folder} was changed since the import"
            hint = "put changes into another folder; --force overwrites them"
        else:
            names = sorted({*new.files, *old} - {SUMS})
            differing = ", ".join(name for name in names if old.get(name) != new.files.get(name))
            message = f"{folder} was imported with other content: {differing} would change"
            hint = "see what differs with vmrender catalog diff; --force writes the new content"
        raise Diagnostic(Code.IMPORT_REFUSED, message, hint=hint).error()
    return ImportPlan(new.files, tuple(sorted(old.keys() - new.files.keys())))
