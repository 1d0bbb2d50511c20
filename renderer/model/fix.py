"""The one right answer to a finding, as edits: what its hint says to write.

A finding with several right answers, or one that only a person knows, has none.
"""

from __future__ import annotations

from renderer.model.field_edit import Edit, MoveField, SetField, edited_place, with_place
from renderer.model.kube.field_path import ROOT
from renderer.model.kube.list_elements import value_at
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource
from renderer.model.record import Record


class Fix(Record):
    """Edits of one document, applied one after another, after which the finding is gone.

    ``roots`` are the places whose fields the edits name: one place, or the places that may have written an
    object, most recent first. ``findings`` chooses the one that writes the edited field. ``old`` is the
    scalar that the first edit replaces, as YAML writes it, if the stage knows it: where the file has another
    text, the value was made of something else, and there is no fix.

    ``separators`` are lines of the finding's file, from 1, above which ``---`` is missing. Such a fix has no
    edits, because the document is not readable before. ``is_public``: no value before or after the edits is
    confidential in the object, whatever a field of that name is in another kind.
    """

    edits: tuple[Edit, ...]
    roots: tuple[Site, ...]
    old: str | None = None
    separators: tuple[int, ...] = ()
    is_public: bool = False

    @classmethod
    def of(cls, resource: Resource, *edits: Edit) -> Fix:
        """Return a fix whose edits name fields of ``resource``."""
        first, old = edits[0], None
        if isinstance(first, SetField):
            value = value_at(resource.content, first.field.segments)
            old = None if isinstance(value, dict | list) else resource.written_text(*first.field.segments)
        return cls(tuple(_named(edit, resource) for edit in edits), resource.sites(), old)

    @classmethod
    def at(cls, root: Site, *edits: Edit) -> Fix:
        """Return a fix whose edits name fields below ``root``, such as a whole document (``in_document``)."""
        return cls(edits, (root,))

    @classmethod
    def in_document(cls, site: Site, *edits: Edit, old: str | None = None) -> Fix:
        """Return a fix whose edits name fields of the document that ``site`` is in."""
        return cls(edits, (Site(site.path, site.document, ROOT, site.text),), old)


def _named(edit: Edit, resource: Resource) -> Edit:
    """Return the edit with element names in place of list indices, which differ in patches and bases."""
    if isinstance(edit, MoveField):
        edit = edit._replace(to=resource.named_field(edit.to.segments))
    return with_place(edit, resource.named_field(edited_place(edit).segments))
