"""Find the lines of sites by reading their files again, with marks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from renderer.files.file_system import FileSystem
from renderer.files.recorder import Recorder, Task
from renderer.findings.known_findings import KnownFindings
from renderer.findings.located import LocatedFix, LocatedRelated
from renderer.kubevirt.facts.confidential.object_fields import ConfidentialFields
from renderer.model.codes import Trait
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Related
from renderer.model.field_edit import AddField, AddItem, SetField
from renderer.model.fix import Fix
from renderer.model.kube.field_path import ROOT, ElementName, FieldPath
from renderer.model.kube.location import BUILTIN_SCHEME, GeneratedText, Location, Site
from renderer.model.kube.res_id import ResId
from renderer.model.kustomization import is_kustomization_file
from renderer.model.run.work import may_find_lines
from renderer.yamlio.edit import EditedText, RefusedEditError, edit_fields, separate_documents
from renderer.yamlio.marks import MarkedFile, WrittenValue
from renderer.yamlio.written_edits import WrittenEdits, written_edits

#: The work steps of looking for a field at one site (``model.run.work``).
_SEARCH_STEPS = 60
#: The bytes of files that a locator keeps for the findings of the next overlay.
_MOST_STORED = 4 << 20
#: The documents of which a locator keeps what is confidential: findings about one come one after another.
_MOST_DOCUMENTS = 4


class Locator:
    """Finds sites in files; reads each file once and keeps it until ``forget_files``."""

    def __init__(self, fs: FileSystem, recorder: Recorder | None = None) -> None:
        self._fs = fs
        self._recorder = recorder or Recorder()
        #: Each file with its size; the most recently used file comes last.
        self._files: dict[str, tuple[MarkedFile, int]] = {}
        self._texts: dict[GeneratedText, MarkedFile] = {}
        #: What is confidential in the last documents, by path, number and generated text.
        self._confidential: dict[tuple[str, int, GeneratedText | None], ConfidentialFields | None] = {}
        self.known = KnownFindings()
        self._separating = cache(self._find_separating)

    def locate(self, diagnostic: Diagnostic) -> tuple[Location | None, tuple[LocatedRelated, ...]]:
        """Return the line of a finding, and its related places with their lines."""
        of_value = not diagnostic.about_key and Trait.ABOUT_KEY not in diagnostic.code.traits
        site, location = self._search(diagnostic.sites, of_value=of_value)
        if diagnostic.location:
            location = self._in_text(diagnostic.location, site) or location or diagnostic.location
        related = tuple(map(self._locate_related, diagnostic.related))
        if site and site.text:
            _, values = self._search((site.text.values_site,))
            related = (*related, LocatedRelated(f"made of {site.text.values}", values, is_row=True))
        return location, related

    def locate_fix(self, diagnostic: Diagnostic, location: Location | None) -> LocatedFix | None:
        """Return the fix of a finding as edits of one file, ``location`` if that is where the field belongs.

        None if no file writes the field itself, or if an object would have it from another file again.
        """
        fix = diagnostic.fix
        if fix is None:
            return None
        if fix.separators:
            return (
                None
                if diagnostic.sites or location is None
                else self._separating(location.path, fix.separators)
            )
        written: list[LocatedFix] = []
        for root in fix.roots:
            if not may_find_lines(_SEARCH_STEPS):
                return None
            found = self._fix_at(root, fix, diagnostic.resource)
            if found:
                written.append(found)
        first = fix.edits[0]
        if isinstance(first, AddField | AddItem):
            here = [each for each in written if location and each.path == location.path]
            return next(iter((*here, *reversed(written))), None)
        if isinstance(first, SetField):
            return written[0] if written and fix.old in (None, written[0].old) else None
        return written[0] if len(written) == 1 else None

    def _find_separating(self, path: str, separators: tuple[int, ...]) -> LocatedFix | None:
        """Return the fix of a file without ``---`` between its objects; a kustomization has one object.

        All findings of a file share it.
        """
        if is_kustomization_file(path):
            return None
        try:
            separate_documents(self._fs.read(path), separators)
        except (DiagnosticError, RefusedEditError):
            return None
        return LocatedFix(path, 0, ROOT, (), separators=separators)

    def _fix_at(self, root: Site, fix: Fix, resource: ResId | None) -> LocatedFix | None:
        """Return the fix in the document at ``root``, if that writes the edited field."""
        if root.text is not None or root.path.startswith(BUILTIN_SCHEME):
            return None
        number, node = self._marked(root).root(root.document)
        kind = node.entry("kind") if node and root.field == ROOT else None
        if node is None or (kind and resource and kind[1].text != resource.gvk.kind):
            return None
        written = written_edits(node, root.field, fix.edits)
        if written is None or not self._can_apply(written, root, number):
            return None
        return LocatedFix(root.path, number, *written)

    def _can_apply(self, written: WrittenEdits, root: Site, number: int) -> bool:
        """Return True if the editor can make the edits, which nothing else in the document depends on."""
        text = self._marked(root).text_of(number)
        if not may_find_lines(len(text)):
            return False
        where = EditedText(0, written.inline, is_kustomization_file(root.path))
        try:
            edit_fields(text.encode(), where, written.edits)
        except RefusedEditError:
            return False
        return True

    def note_uses(self, found: Iterable[Diagnostic]) -> None:
        """Record that the current task depends on the files of findings that were located before."""
        paths: set[str] = set()
        for each in found:
            paths.update(site.path for site in (*each.sites, *(each.fix.roots if each.fix else ())))
            paths.update(site.path for related in each.related for site in related.sites)
        for path in paths:
            self._recorder.note_use(Task("lines", path))

    def scalar_texts(self, sites: Iterable[Site]) -> Iterator[str]:
        """Yield the scalars at ``sites`` as they are written."""
        for site in sites:
            yield from filter(None, self._marked(site).texts(site.document, [site.field]))

    def confidential_fields(self, sites: Iterable[Site]) -> Iterator[tuple[Site, ConfidentialFields]]:
        """Yield each site with what is confidential in its document, if that is a mapping."""
        for site in sites:
            place = site.path, site.document, site.text
            if place not in self._confidential:
                if len(self._confidential) >= _MOST_DOCUMENTS:
                    del self._confidential[next(iter(self._confidential))]
                tree = self._marked(site).tree(site.document)
                fields = ConfidentialFields("", (tree,)) if isinstance(tree, dict) else None
                self._confidential[place] = fields
            known = self._confidential[place]
            if known is not None:
                yield site, known

    def texts_near(self, sites: Iterable[Site]) -> Iterator[str]:
        """Yield the scalars at and below ``sites``, or around a field that its file writes in another way."""
        for site in sites:
            yield from self._marked(site).texts_near(site.document, site.field)

    def texts_on_line(self, location: Location) -> Sequence[str]:
        """Return the line at a location, and the values in its file of which it has a part."""
        return self._marked(Site(location.path)).texts_on_line(location.line)

    def forget_files(self) -> None:
        """Keep only the most recently used files, up to 4 MiB: overlays may have very many files in all."""
        stored = sum(size for _, size in self._files.values())
        while stored > _MOST_STORED:
            stored -= self._files.pop(next(iter(self._files)))[1]
        self._texts.clear()
        self._confidential.clear()

    def _in_text(self, inner: Location, site: Site | None) -> Location | None:
        """Convert a location in the text at ``site`` to its file; unchanged without a site."""
        if site is None:
            return inner
        mark = self._marked(site).position_in_scalar(site.document, site.field, inner.line, inner.column)
        if mark is None:
            return None
        if site.text:
            return Location(site.path, site.text.lines[mark.line - 1])
        return Location(site.path, mark.line, mark.column)

    def _locate_related(self, related: Related) -> LocatedRelated:
        site, location = self._search(related.sites)
        values = f", made of {site.text.values}" if site and site.text else ""
        return LocatedRelated(related.message + values, related.location or location)

    def location_of(self, sites: tuple[Site, ...]) -> Location | None:
        """Return the location of the first site that holds its field, or the nearest in the last site.

        Once such searches have used up their part of the run's work, only the last site is searched.
        """
        return self._search(sites)[1]

    def _search(
        self, sites: tuple[Site, ...], *, of_value: bool = False
    ) -> tuple[Site | None, Location | None]:
        nearest: tuple[Site | None, Location | None] = None, None
        for site in sites:
            if site is not sites[-1] and not may_find_lines(_SEARCH_STEPS):
                continue
            location, exact = self._location_at(site, sites[-1], of_value=of_value)
            nearest = site, location
            if exact:
                break
        return nearest

    def _location_at(self, site: Site, base: Site, *, of_value: bool) -> tuple[Location, bool]:
        """Return the location of ``site``, True if exact; JSON patches use the indices of the base."""
        indexed = self._indexed(site, base)
        mark = self._marked(site).find(site.document, site.field, indexed, of_value=of_value)
        if mark is None:
            return Location(site.path), False
        if site.text:
            return Location(site.path, site.text.lines[mark.line - 1]), mark.exact
        return Location(site.path, mark.line, mark.column, mark.end), mark.exact

    def written_at(self, site: Site, base: Site) -> WrittenValue | None:
        """Return the value that is written at ``site``, if any; ``base`` is the last of its sites."""
        return self._marked(site).written(site.document, site.field, self._indexed(site, base))

    def _indexed(self, site: Site, base: Site) -> FieldPath | None:
        """Return the field of ``site`` with the indices of ``base``, if a patch may need them."""
        if site is base or not any(isinstance(segment, ElementName) for segment in site.field.segments):
            return None
        return _indexed_in_patch(site, self._marked(base).indexed(base.document, base.field))

    def _marked(self, site: Site) -> MarkedFile:
        """Return the file or generated text at the site; an empty file if it is not a file."""
        text, path = site.text, site.path
        if text:
            if text not in self._texts:
                self._texts[text] = MarkedFile(text.content.encode())
            return self._texts[text]
        with self._recorder.using(Task("lines", path)):
            stored = self._files.pop(path, None)
            if stored is None:
                try:
                    content = self._fs.read(path) if self._fs.is_file(path) else b""
                except DiagnosticError:  # only its name is reported
                    content = b""
                stored = MarkedFile(content), len(content)
        self._files[path] = stored
        return stored[0]


def _indexed_in_patch(site: Site, indexed: FieldPath) -> FieldPath:
    """Return the field in a patch that is inside its file, with indices."""
    above = len(site.field.segments) - len(indexed.segments)
    return FieldPath(site.field.segments[: max(above, 0)] + indexed.segments)
