"""Say where one file is listed twice, rather than that its resource has the id of itself."""

from __future__ import annotations

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Related
from renderer.model.field_edit import RemoveItem
from renderer.model.kube.location import Site
from renderer.model.source_tree import KustomizationRoot


def listed_twice(root: KustomizationRoot, index: int, error: DiagnosticError) -> DiagnosticError | None:
    """Return the error at the entry ``index`` of ``resources`` if it brings a resource in once more.

    None if two resources have the same id, or if ``error`` is about something else.
    """
    found = error.diagnostics[0]
    is_duplicate = found.code is Code.DUPLICATE_ID and found.sites and found.related
    written = root.kustomization
    if not is_duplicate or found.related[0].sites[-1:] != found.sites[-1:]:
        return None
    if len(root.resources) != len(written.resources) + len(written.bases):
        return None
    entry, path, site = root.resources[index], *_listing(root, index)
    first = next((other for other in range(index) if root.resources[other] is entry), None)
    if first is None:
        return Diagnostic.at(
            site,
            Code.DUPLICATE_ID,
            f"{path} brings in {found.resource} once more: what is listed before has it, too",
            "list what both have in common in one place only",
            related=(Related("it is written here", found.sites),),
        ).error()
    return Diagnostic.at(
        site,
        Code.DUPLICATE_ID,
        f"{path} is listed twice",
        "remove this line",
        related=(Related("it is listed here", (_listing(root, first)[1],)),),
        fix=None if written.completed else RemoveItem(site.field),
    ).error()


def _listing(root: KustomizationRoot, index: int) -> tuple[str, Site]:
    """Return the text of an entry, and its place: in ``resources``, or after these in ``bases``."""
    written = root.kustomization
    count = len(written.resources)
    if index < count:
        return written.resources[index], written.site_of("resources", index)
    return written.bases[index - count], written.site_of("bases", index - count)
