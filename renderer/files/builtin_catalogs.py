"""The catalogs that ship with vmrender: their files, and their composed objects.

Next to the folder of each catalog is ``<version>.json``: every object, the document it comes from and the
patches that changed it, so that findings name the catalog's own files and lines. A test writes that file and
compares it with the folder.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from renderer.files.bundled import data_folder
from renderer.files.file_system import DelegatingFileSystem, DiskFileSystem, FileSystem
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import Json
from renderer.model.kube.location import BUILTIN_SCHEME, Site
from renderer.model.kube.res_id import Gvk, ResId
from renderer.model.kube.resource import Resource, ResourceSet, UnreadResources

#: The version of each catalog that ships.
BUILTIN_CATALOGS = {"common-instancetypes": "common-instancetypes/v1.7.0"}
#: The text before, between and after the objects: a line of JSON does not contain a line feed.
_OBJECTS, _SEPARATOR, _END = b',\n"objects":[\n', b",\n", b"\n]}\n"


def builtin_path(name: str) -> str:
    """Return the folder of the built-in catalog ``name``, for a ``BuiltinFileSystem``."""
    return f"{BUILTIN_SCHEME}{BUILTIN_CATALOGS[name]}"


class BuiltinFileSystem(DelegatingFileSystem):
    """The user's repository, and the files of vmrender's catalogs below ``builtin:``."""

    def __init__(self, repository: FileSystem) -> None:
        super().__init__(repository)
        self._builtin = DiskFileSystem(data_folder("catalog"))

    def resolve(self, path: str) -> str:
        resolved = super().resolve(path)
        return BUILTIN_SCHEME + resolved if path.startswith(BUILTIN_SCHEME) else resolved

    def _answering(self, path: str) -> tuple[FileSystem, str]:
        if path.startswith(BUILTIN_SCHEME):
            return self._builtin, path.removeprefix(BUILTIN_SCHEME)
        return self._below, path


@cache
def composed_catalog(folder: str) -> ResourceSet | None:
    """Return the objects of the built-in catalog in ``builtin:<name>/<version>``; None for others."""
    release = folder.removeprefix(BUILTIN_SCHEME)
    if release == folder or release not in BUILTIN_CATALOGS.values():
        return None
    return decode_composed((data_folder("catalog") / f"{release}.json").read_bytes())


def decode_composed(content: bytes) -> ResourceSet:
    """Return the resources that ``encode_composed`` was given, each decoded on first use.

    Decoding all 255 would take a twentieth of ``vmrender build`` of one virtual machine.
    """
    import json  # noqa: PLC0415 - not every run looks into a catalog

    head, _, lines = content.partition(_OBJECTS)
    written = json.loads(head + b"}")
    objects = lines.removesuffix(_END).split(_SEPARATOR)

    def site(number: int) -> Site:
        path, document, *field = written["sites"][number]
        return Site(path, document, FieldPath(tuple(field)))

    def read(number: int) -> Resource:
        origin, layers, previous_ids, content = json.loads(objects[number])
        former = tuple(ResId(Gvk(*gvk), *names) for *gvk, names in previous_ids)
        return Resource(content, site(origin), tuple(map(site, layers)), former)

    return UnreadResources(tuple((kind, name) for kind, name in written["names"]), read)


def encode_composed(resources: Iterable[Resource]) -> str:
    """Return JSON with a line for each object, ``[origin, layers, previous ids, content]``, after its name.

    Origins and layers are numbers in the list of sites. Raises ``ValueError`` for a resource that this form
    cannot represent: one that gets a hash or has variables, for example.
    """
    sites: dict[Site, int] = {}
    objects: list[Json] = []
    names: list[Json] = []
    for resource in resources:
        content, origin, layers, previous_ids = resource[:4]
        if resource != Resource(content, origin, layers, previous_ids):
            raise ValueError(
                f"{resource.current_id} has more to it than an object, its origin and its layers"
            )
        numbers = [sites.setdefault(site, len(sites)) for site in (origin, *layers)]
        ids = [[*former.gvk, [former.name, former.namespace]] for former in previous_ids]
        objects.append([numbers[0], numbers[1:], ids, content])
        names.append([resource.kind, resource.name])
    written: list[Json] = [[site.path, site.document, *site.field.segments] for site in sites]
    head = f'{{"names":[\n{_lines(names)}\n],\n"sites":[\n{_lines(written)}\n]'
    return f"{head}{_OBJECTS.decode()}{_lines(objects)}{_END.decode()}"


def _lines(values: Iterable[Json]) -> str:
    import json  # noqa: PLC0415 - as above

    lines = (json.dumps(value, separators=(",", ":"), ensure_ascii=False) for value in values)
    return _SEPARATOR.decode().join(lines)
