"""The note about copies that point at a repository of another address."""

from __future__ import annotations

from renderer.gitops.repository_url import RepositoryUrls
from renderer.model.entry_point import EntryKind, EntryOptions
from renderer.model.render_config import OverlayEntry
from renderer.pipeline.reached_objects import urls_of_copies

URL = "https://git.example.org/upstream/vms.git"


def test_entries_that_point_at_one_repository_share_a_note() -> None:
    options = EntryOptions(EntryKind.ARGOCD, repoint=True)
    found = [
        note
        for path in ("clusters/a", "clusters/b")
        for note in urls_of_copies(
            OverlayEntry(path, entry=options),
            RepositoryUrls(("https://git.example.org/fork/vms.git",)),
            [URL, URL],
        )
    ]
    assert len(found) == 2
    assert len({(note.code, note.message, note.hint) for note in found}) == 1
    assert URL in found[0].message
