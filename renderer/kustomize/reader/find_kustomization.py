"""Find the kustomization file of a folder."""

from __future__ import annotations

import posixpath

from renderer.files.file_system import FileSystem, is_inside
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic
from renderer.model.kustomization import KUSTOMIZATION_FILES
from renderer.model.text_enum import TextEnum


class LoadRestrictor(TextEnum):
    """The values of ``--load-restrictor``."""

    ROOT_ONLY = "LoadRestrictionsRootOnly"  # files in or below the folder of the kustomization
    NONE = "LoadRestrictionsNone"  # files anywhere in the repository


def find_kustomization(
    fs: FileSystem, folder: str, restrictor: LoadRestrictor = LoadRestrictor.ROOT_ONLY
) -> str:
    """Return the path of the one kustomization file in ``folder``; a link to a file outside does not count.

    Raises: kustomization-missing, kustomization-ambiguous if there are several.
    """
    paths = [posixpath.normpath(posixpath.join(folder, name)) for name in KUSTOMIZATION_FILES]
    found = [path for path in paths if fs.is_file(path)]
    if restrictor is LoadRestrictor.ROOT_ONLY:
        real = fs.resolve(folder)
        found = [path for path in found if is_inside(fs.resolve(path), real)]
    if not found:
        message = f"no kustomization in {folder}"
        raise Diagnostic.in_file(
            folder, Code.KUSTOMIZATION_MISSING, message, f"it needs one of {', '.join(KUSTOMIZATION_FILES)}"
        ).error()
    if len(found) > 1:
        message = f"{folder} has several kustomizations: {' and '.join(found)}"
        raise Diagnostic.in_file(found[0], Code.KUSTOMIZATION_AMBIGUOUS, message, "keep one of them").error()
    return found[0]
