"""The graph of kustomizations: which of them list a file, and what each of them uses.

validate and migrate query it for files named on the command line, most of which are not listed anywhere.
Therefore it looks only at the paths in a kustomization and does not read the files at these paths, except
for configurations of plugins, which list files of their own.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from renderer.files.file_system import FileSystem, SubmoduleError, folder_of, is_inside, join_path
from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.json import EMPTY, Json, JsonObject, array_at, object_at, text_at
from renderer.model.kustomization import COMPONENT_KIND, KUSTOMIZATION_FILES
from renderer.model.render_config import Overlay
from renderer.model.run.work import spend
from renderer.model.suggest import suggest_paths
from renderer.yamlio.decode import decode_documents, decode_yaml11

#: Fields that list files and folders; in lower case, because kustomize ignores case.
_LISTS = (
    "resources",
    "bases",
    "components",
    "configurations",
    "crds",
    "patchesstrategicmerge",
)
_PLUGINS = ("generators", "transformers", "validators")
_WITH_PATHS = ("patches", "patchesjson6902", "replacements")
_PATCHES = ("patches", "patchesjson6902")
_GENERATORS = ("configmapgenerator", "secretgenerator")

#: Folders, in all sets of them, that are remembered at once: 30 MB at most.
_MOST_KEPT = 300_000

_PATH_FIELDS = frozenset((*_LISTS, *_PLUGINS, *_WITH_PATHS, *_GENERATORS))

#: Fields by which configurations of plugins list files.
_PLUGIN_PATHS = frozenset({"path", "paths", "file", "files", "env", "envs", "template"})


class Links(NamedTuple):
    """The files that one kustomization lists, and the folders with kustomizations of their own.

    ``resources`` are those of the files that are not read for their fields alone, as patches are.
    ``is_readable`` is False if the file cannot be read; it may then list any file.
    """

    file: str
    is_component: bool = False
    files: frozenset[str] = frozenset()
    folders: frozenset[str] = frozenset()
    resources: frozenset[str] = frozenset()
    is_readable: bool = True


class KustomizationGraph:
    """The kustomizations of one tree, each read once, on first use."""

    def __init__(self, fs: FileSystem) -> None:
        self._fs = fs
        self._links: dict[str, Links | None] = {}
        self._folders: dict[str, frozenset[str]] = {}
        self._kept = 0
        self._built_from: dict[str, frozenset[str]] = {}

    def links(self, folder: str) -> Links | None:
        """Return the links of the kustomization in ``folder``; None if there is none."""
        if folder not in self._links:
            self._links[folder] = self._read_links(folder)
        return self._links[folder]

    def lists_nothing(self, folder: str) -> bool:
        """Return True if there is a kustomization in ``folder`` that uses no file and no other folder."""
        links = self.links(folder)
        return links is not None and links.is_readable and not links.files and not links.folders

    def folders(self, root: str) -> frozenset[str]:
        """Return the folders whose kustomizations the one in ``root`` uses, and its own."""
        known = self._folders.get(root)
        if known is None:
            known = self.reached([root])
            self._kept += len(known)
            if self._kept > _MOST_KEPT:  # each of thousands may use thousands
                self._folders.clear()
                self._kept = len(known)
            self._folders[root] = known
        return known

    def reached(self, roots: Iterable[str], known: Iterable[str] = ()) -> frozenset[str]:
        """Return the folders whose kustomizations those in ``roots`` use, and their own.

        ``known`` are such folders of which all that they use is known.
        """
        used, waiting = {*known}, [*roots]
        while waiting:
            folder = waiting.pop()
            links = None if folder in used else self.links(folder)
            if links:
                used.add(folder)
                waiting += links.folders
        spend(1 + len(used) // 2, "following kustomizations")
        return frozenset(used)

    def may_be_broken(self, folder: str) -> bool:
        """Return True if the folder is missing, or its build may be broken or need other repositories.

        Only a build can tell which.
        """
        used = (self.links(each) for each in self.folders(folder))
        return any(links and not links.is_readable for links in used) or any(self._missing(folder))

    def probable_inputs(self, folder: str) -> set[str]:
        """Return probable inputs of a broken folder: paths similar to a missing one, or in invalid YAML."""
        inside = [re.sub(r"^(\.\./)+", "", each) for each in self._missing(folder)]
        probable = {path for each in inside for path in (each, *suggest_paths(each, self._fs.list))}
        for each in self.folders(folder):
            links = self.links(each)
            if links and not links.is_readable:
                words = re.findall(r"[\w./-]+", self._fs.read(links.file).decode(errors="replace"))
                probable |= {join_path(each, word) for word in words}
        return probable

    def probably_uses(self, folder: str, files: Collection[str]) -> bool:
        """Return True if a broken folder uses one of the files, or probably should."""
        places = self.probable_inputs(folder) - {"."}
        return not self.files(folder).isdisjoint(files) or any(
            is_inside(file, place) for place in places for file in files
        )

    def _missing(self, folder: str) -> Iterator[str]:
        """Yield the folder if it does not exist, and the paths in its kustomizations that do not exist."""
        if not confined(self._fs.is_folder, folder):
            yield folder
        for each in self.folders(folder):
            files = links.files if (links := self.links(each)) else ()
            yield from (path for path in files if not confined(self._fs.is_file, path))

    def build_files(self, folder: str) -> frozenset[str]:
        """Return the files of the kustomization in ``folder``, or all files in a folder without one."""
        if folder not in self._built_from:
            self._built_from[folder] = self.files(folder) if self.links(folder) else self._files_below(folder)
        return self._built_from[folder]

    def _files_below(self, folder: str) -> frozenset[str]:
        """Return the files in a folder and below it, without those of submodules that are not here."""
        files: set[str] = set()
        names: Sequence[str] = ()
        with suppress(SubmoduleError):  # reported by the build
            names = self._fs.list(folder) if confined(self._fs.is_folder, folder) else ()
        for name in names:
            path = posixpath.normpath(posixpath.join(folder, name))
            if self._fs.is_file(path):
                files.add(path)
            elif not name.startswith(".") and self._fs.is_folder(path) and self._fs.resolve(path) == path:
                files |= self.build_files(path)
        return frozenset(files)

    def files_of_overlay(self, overlay: Overlay) -> frozenset[str]:
        """Return the files that an overlay is built from, by the paths in kustomizations and entry points."""
        point = overlay.entry
        if point is None:
            return self.files(overlay.path)
        if not point.folders and not point.objects:
            is_file = self._fs.is_file(overlay.path)
            return frozenset({overlay.path}) if is_file else self.build_files(overlay.path)
        return frozenset(point.files.union(*(self.build_files(folder) for folder in point.folders)))

    def files(self, root: str) -> frozenset[str]:
        """Return the files listed by the kustomization in ``root`` and by the ones it uses, and their own."""
        return self.files_in(self.folders(root))

    def files_in(self, folders: Iterable[str]) -> frozenset[str]:
        """Return the files listed by the kustomizations in ``folders``, and their own."""
        found = filter(None, map(self.links, folders))
        return frozenset(file for links in found for file in (links.file, *links.files))

    def folders_listing(self, file: str) -> tuple[str, ...]:
        """Return the folders whose kustomization is, or lists, ``file``; only folders that contain it."""
        return tuple(folder for folder in folders_above(file) if _lists(self.links(folder), file, folder))

    def _read_links(self, folder: str) -> Links | None:
        for name in KUSTOMIZATION_FILES:
            file = posixpath.normpath(posixpath.join(folder, name))
            try:
                if self._fs.is_file(file):
                    return self._links_of(decode_yaml11(self._fs.read(file), file), file, folder)
            except DiagnosticError:  # the build of the folder reports it
                return Links(file, is_readable=False)
        return None

    def _links_of(self, content: Json, file: str, folder: str) -> Links:
        fields = {key.lower(): value for key, value in object_at(content).items()}
        files, folders = set[str](), set[str]()
        for path in filter(None, self._listed(fields, folder)):
            place = join_path(folder, path)
            try:
                (folders if self._fs.is_folder(place) else files).add(self._fs.resolve(place))
            except DiagnosticError:  # it leads out of the repository: reported by the build
                files.add(place)
        listed = {join_path(folder, path) for path in _paths(fields.get("resources"))}
        is_component = text_at(fields, "kind") == COMPONENT_KIND
        return Links(
            file, is_component, frozenset(files), frozenset(folders), frozenset(files.intersection(listed))
        )

    def _listed(self, fields: Mapping[str, Json], folder: str) -> Iterator[str]:
        for name in (*_LISTS, *_PLUGINS):
            yield from _paths(fields.get(name))
        for name in _WITH_PATHS:
            yield from (text_at(entry, "path") for entry in array_at(fields, name))
            yield from _paths(fields.get(name))  # a mistake, which the build reports
        for name in fields.keys() - _PATH_FIELDS:  # one may be a mistyped field; the build reports it
            yield from (text_at(entry, "path") for entry in array_at(fields, name))
            yield from (path for path in array_at(fields, name) if isinstance(path, str))
        yield text_at(fields, "openapi", "path")
        for name in _GENERATORS:
            for entry in array_at(fields, name):
                yield from _data_files(object_at(entry))
        for name in _PLUGINS:
            for path in _paths(fields.get(name)):
                yield from self._listed_by_plugin(join_path(folder, path))

    def _listed_by_plugin(self, path: str) -> Iterator[str]:
        try:
            if not self._fs.is_file(path):
                return
            documents = decode_documents(self._fs.read(path), path)
        except DiagnosticError:  # as above
            return
        for document in documents:
            yield from _plugin_paths(document)


def confined(test: Callable[[str], bool], path: str) -> bool:
    """Return the result of ``test``; False for a path that leads out of the repository."""
    try:
        return test(path)
    except DiagnosticError:
        return False


def folders_above(file: str) -> Iterator[str]:
    """Yield the folder of a file, and each folder above it up to the top, which is ``.``."""
    folder = folder_of(file)
    while folder != ".":
        yield folder
        folder = folder_of(folder)
    yield "."


def _lists(links: Links | None, file: str, folder: str) -> bool:
    if links is None:
        return False
    return file == links.file or file in links.files or (not links.is_readable and is_inside(file, folder))


def _paths(value: Json) -> Iterator[str]:
    """Yield the list entries that are paths, not texts of objects; a path instead of a list is a mistake."""
    for entry in value if isinstance(value, list) else (value,):
        if isinstance(entry, str) and entry and "\n" not in entry:
            yield entry


def _data_files(generator: JsonObject) -> Iterator[str]:
    """Yield the files of a generator; ``files`` may have a key before the path."""
    fields = {key.lower(): value for key, value in generator.items()}
    yield from (path.rpartition("=")[2] for path in _paths(fields.get("files")))
    yield from _paths(fields.get("envs"))
    yield text_at(fields, "env")


def _plugin_paths(value: Json, key: str = "") -> Iterator[str]:
    if isinstance(value, dict):
        for name, child in (value or EMPTY).items():
            yield from _plugin_paths(child, name)
    elif isinstance(value, list):
        for child in value:
            yield from _plugin_paths(child, key)
    elif isinstance(value, str) and key in _PLUGIN_PATHS and value and "\n" not in value:
        yield value.rpartition("=")[2]


def patched_kinds(fs: FileSystem, file: str, kustomizations: Iterable[tuple[str, str]]) -> str | None:
    """Return a regular expression for the kinds that ``file`` patches: empty if any, None if it patches none.

    ``kustomizations`` are the files that list it, each with its folder.
    """
    kinds: dict[str, None] = {}
    for folder, kustomization in kustomizations:
        try:
            content = decode_yaml11(fs.read(kustomization), kustomization)
        except DiagnosticError:  # the build of its folder reports it
            continue
        for name, value in object_at(content).items():
            if name.lower() not in _PATCHES or not isinstance(value, list):
                continue
            for entry in value:
                if join_path(folder, text_at(entry, "path")) == file:
                    kinds[text_at(entry, "target", "kind")] = None
    if not kinds:
        return None
    return "" if "" in kinds else "|".join(f"(?:{kind})" for kind in kinds)
