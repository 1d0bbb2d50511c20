"""Find and load modules of this package with fewer questions to the file system.

A command imports two hundred of them. For each, Python asks every finder there is, looks at the folder and
twice at the source, and takes nine calls to read the compiled file: half of what a small module costs. Here
a folder is listed once, and a module takes one look at its source and three calls for the compiled file.
Whatever is no compiled module that is up to date is left to Python: extensions, and sources alone.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import MAGIC_NUMBER, cache_from_source
from marshal import loads
from types import CodeType, ModuleType

_PACKAGE = f"{__name__.partition('.')[0]}."
#: Before the code stand the magic number, flags, and the time and the size of the source (PEP 552).
_HEADER = 16
_BY_TIME = MAGIC_NUMBER + bytes(4)
_LOWER_32_BITS = 0xFFFF_FFFF
_PIECE = 1 << 16
_SOURCE, _PACKAGE_MODULE = ".py", "__init__"


class _Loader(SourceFileLoader):
    """Reads the compiled file ``compiled``, if it is that of the source as it is now."""

    def __init__(self, fullname: str, path: str, compiled: str) -> None:
        super().__init__(fullname, path)
        self.compiled = compiled

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return a module with the names that Python would look for, each with an error, and then set."""
        module = ModuleType(spec.name)
        vars(module).update(
            __loader__=self, __package__=spec.parent, __file__=spec.origin, __cached__=spec.cached
        )
        return module

    def get_code(self, fullname: str) -> CodeType | None:
        try:
            source = os.stat(self.path)  # noqa: PTH116 - a Path for each would take longer than the look
            content = _read(self.compiled)
        except OSError:
            return super().get_code(fullname)
        time, size = int(source.st_mtime) & _LOWER_32_BITS, source.st_size & _LOWER_32_BITS
        header = _BY_TIME + time.to_bytes(4, "little") + size.to_bytes(4, "little")
        if content[:_HEADER] != header:
            return super().get_code(fullname)
        try:
            code: CodeType = loads(memoryview(content)[_HEADER:])  # noqa: S302 - Python itself would read the same file
        except EOFError:  # it was not read to its end
            return super().get_code(fullname)
        return code if code.co_filename == self.path else super().get_code(fullname)  # it may have been moved


def _read(file: str) -> bytes:
    descriptor = os.open(file, os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0))
    try:
        content = piece = os.read(descriptor, _PIECE)
        while len(piece) == _PIECE:  # less is the end of a file
            piece = os.read(descriptor, _PIECE)
            content += piece
    finally:
        os.close(descriptor)
    return content


class _Folder:
    """A folder of the package: where its modules and their compiled files are."""

    def __init__(self, path: str) -> None:
        try:
            names = os.listdir(path)  # noqa: PTH208 - as above
        except OSError:  # it is in an archive
            names = []
        others = {name.partition(".")[0] for name in names if not name.endswith(_SOURCE)}
        #: What may be no extension, nor a package, and what may be one.
        self.modules = {name.removesuffix(_SOURCE) for name in names} - others
        self.folders = {name for name in names if "." not in name}
        self.path = path
        self.start = os.path.join(path, "")  # noqa: PTH118 - as above
        self.before, _, self.after = cache_from_source(f"{self.start}*{_SOURCE}").rpartition("*")

    def spec(self, fullname: str, name: str) -> ModuleSpec:
        """Return the spec of one of its modules; ``__init__`` is that of the package which the folder is."""
        path, compiled = f"{self.start}{name}{_SOURCE}", f"{self.before}{name}{self.after}"
        spec = ModuleSpec(fullname, _Loader(fullname, path, compiled), origin=path)
        spec.submodule_search_locations = [self.path] if name == _PACKAGE_MODULE else None
        spec.has_location = True
        spec.cached = compiled
        return spec


class OwnModules:
    """The finder of the modules of this package, for ``sys.meta_path``."""

    def __init__(self) -> None:
        self._folders: dict[str, _Folder] = {}

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of a module or package; None if it is none, or may be an extension."""
        if path is None or len(path) != 1 or not fullname.startswith(_PACKAGE):
            return None
        folder, name = self._folder(path[0]), fullname.rpartition(".")[2]
        if name in folder.modules:
            return folder.spec(fullname, name)
        if name in folder.folders:
            package = self._folder(folder.start + name)
            if _PACKAGE_MODULE in package.modules:
                return package.spec(fullname, _PACKAGE_MODULE)
        return None

    def _folder(self, path: str) -> _Folder:
        if path not in self._folders:
            self._folders[path] = _Folder(path)
        return self._folders[path]


def install() -> None:
    """Find modules of this package so from now on."""
    sys.meta_path.insert(0, OwnModules())
