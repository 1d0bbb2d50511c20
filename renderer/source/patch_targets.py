"""Which kinds of objects a patch file is for, by the kustomizations that list it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from renderer.model.diagnostic import DiagnosticError
from renderer.model.json import Json, object_at, text_at
from renderer.source.file_system import FileSystem
from renderer.source.paths import joined
from renderer.yamlio.decode import decode_yaml11

_FIELDS = ("patches", "patchesjson6902")


def patched_kinds(fs: FileSystem, file: str, kustomizations: Iterable[tuple[str, str]]) -> str | None:
    """A regular expression of the kinds that ``file`` patches, empty for any; None when it is no patch.

    ``kustomizations`` are files that list it, each with its folder.
    """
    kinds = dict.fromkeys(
        kind
        for folder, kustomization in kustomizations
        for path, kind in _patches(_content(fs, kustomization))
        if joined(folder, path) == file
    )
    if not kinds:
        return None
    return "" if "" in kinds else "|".join(f"(?:{kind})" for kind in kinds)


def _patches(content: Json) -> Iterator[tuple[str, str]]:
    """The paths of patches, and the kinds that their targets have."""
    for name, value in object_at(content).items():
        if name.lower() in _FIELDS:
            for entry in value if isinstance(value, list) else ():
                yield text_at(entry, "path"), text_at(entry, "target", "kind")


def _content(fs: FileSystem, file: str) -> Json:
    try:
        return decode_yaml11(fs.read(file), file)
    except DiagnosticError:  # it is told when its folder is built
        return None
