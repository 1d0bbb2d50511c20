"""What comes of an overlay."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from renderer.model.diagnostic import Diagnostic
from renderer.model.render_config import Overlay
from renderer.source.recorder import Question


class RenderedOverlay(NamedTuple):
    """An overlay and the files it comes to, text by path below its output folder; none when it failed.

    ``findings`` know their lines. ``folders`` are those it read as kustomizations, ``saw`` is what it asked
    of the repository, with the answers; ``seconds`` is how long it took, of which ``account`` tells.
    """

    overlay: Overlay
    files: Mapping[str, str]
    findings: tuple[Diagnostic, ...]
    folders: frozenset[str]
    saw: Mapping[Question, str]
    seconds: float
    account: str
