"""What ``vmrender.yaml`` says of the variables that Flux puts into an overlay."""

from __future__ import annotations

import posixpath

from renderer.model.record import Record


class FluxSubstitution(Record):
    """Where the variables are; ``{name}`` in a path is the overlay's name.

    ``kustomization`` is the file of the Flux Kustomization, ``resources`` are files and folders with the
    ConfigMaps and Secrets that it names.
    ``secrets``: Secrets are read as well. ``strict``: a variable without value or default is an error.
    """

    kustomization: str
    resources: tuple[str, ...] = ()
    secrets: bool = False
    strict: bool = True

    def may_read(self, file: str) -> bool:
        """Whether variables may come from ``file``, a path below the root of the repository."""
        folder = posixpath.dirname(self.kustomization)
        sources = map(posixpath.normpath, self.resources)
        return file == posixpath.normpath(self.kustomization) or (
            any(source == file or file.startswith(f"{source}/") for source in sources)
            if self.resources
            else posixpath.dirname(file) == folder
        )

    def of_overlay(self, name: str) -> FluxSubstitution:
        """The same with the overlay's name in all paths."""
        return self._replace(
            kustomization=self.kustomization.replace("{name}", name),
            resources=tuple(path.replace("{name}", name) for path in self.resources),
        )
