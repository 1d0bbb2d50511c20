"""The release of KubeVirt, or of the product that brings it, that the files of a repository install."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import NamedTuple

from renderer.discovery.manifests import Manifests
from renderer.kubevirt.facts.installed_release import (
    InstalledRelease,
    may_name_release,
    operator_indexes,
    releases_in_object,
    releases_in_text,
)
from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.json import Json
from renderer.model.release import Release
from renderer.yamlio.decode import decode_documents


class DetectedRelease(NamedTuple):
    """What a file installs, and the first line that says so."""

    installed: InstalledRelease
    path: str
    line: int

    @property
    def release(self) -> Release | None:
        """The release, or None if the file names none that is supported."""
        return self.installed.release

    def __str__(self) -> str:
        return f"{self.installed.reason} in {self.path}:{self.line}"


def detected_releases(manifests: Manifests) -> tuple[DetectedRelease, ...]:
    """Return the releases that the files of the repository name, the most certain first."""
    contents = manifests.contents
    objects = {
        path: _documents(content, path) for path, content in contents.items() if may_name_release(content)
    }
    indexes = dict(operator_indexes(each for found in objects.values() for each in found))
    found = [
        DetectedRelease(each, path, 1 + content.count(b"\n", 0, max(content.find(each.text.encode()), 0)))
        for path, content in contents.items()
        for each in (
            *releases_in_text(content),
            *(one for document in objects.get(path, ()) for one in releases_in_object(document, indexes)),
        )
    ]
    return tuple(sorted(dict.fromkeys(found), key=lambda each: each.installed.certainty))


def agreed(found: Iterable[DetectedRelease]) -> DetectedRelease | None:
    """Return the most certain release, of a product if one is named; None if there are several, or none."""
    known = [(each, each.release) for each in found if each.release is not None]
    certain = [
        (each, one) for each, one in known if each.installed.certainty == known[0][0].installed.certainty
    ]
    minors = {release.minor_release[:3] for _, release in certain}
    products = [each for each, release in certain if release.product]
    named = {each.release.product for each in products if each.release}
    if len(minors) > 1 or len(named) > 1:
        return None
    return next(iter((*products, *(each for each, _ in certain))), None)


def _documents(content: bytes, path: str) -> tuple[Json, ...]:
    """Return the documents of a file; none if it cannot be read, as a template."""
    with suppress(DiagnosticError):
        return decode_documents(content, path)
    return ()
