"""An overlay as it is rendered on one side of a comparison, and on all of its sides."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, Self

from renderer.diff.overlay_side import OverlaySide
from renderer.model.diagnostic import Diagnostic
from renderer.model.kube.res_id import ObjectKey
from renderer.model.kube.resource import Resource
from renderer.model.render_config import Overlay
from renderer.pipeline.vm_changes import ProjectState


class RenderedSide(NamedTuple):
    """An overlay rendered on one side.

    ``content`` is None if it could not be rendered; ``errors`` say why, or which resources are refused.
    ``state`` has the resources and instance types that its virtual machines find in the cluster. ``unknown``
    says why the side cannot be compared, if rendering it has not failed.
    """

    content: OverlaySide | None
    errors: tuple[Diagnostic, ...] = ()
    state: ProjectState | None = None
    unknown: str = ""

    def with_written(self, written: Iterable[Resource]) -> Self:
        """Return it with these objects; itself if it could not be rendered."""
        return self._replace(content=self.content and self.content._replace(written=tuple(written)))


def written_of(side: RenderedSide | None) -> Sequence[Resource]:
    """Return the objects of a side; none if it does not have the overlay, or could not be rendered."""
    return side.content.written if side and side.content else ()


def objects_of(side: RenderedSide | None) -> Mapping[ObjectKey, Resource]:
    """Return the objects of a side as ``written_of``, by their identity in a cluster."""
    return {each.object_key: each for each in written_of(side)}


class RenderedSides(NamedTuple):
    """An overlay before a change, at its commits, and after it; None where the project does not have it.

    ``former`` is the path of the overlay on the sides before the last one.
    """

    overlay: Overlay
    sides: tuple[RenderedSide | None, ...]
    former: str

    @property
    def ends(self) -> tuple[RenderedSide | None, RenderedSide | None]:
        """The first and the last side."""
        return self.sides[0], self.sides[-1]

    @property
    def between(self) -> list[RenderedSide]:
        """The rendered sides between the first and the last one that differ from the one before.

        The state of a side that was taken over from the commit before (``Side.follow``) is the same object.
        """
        rendered = [each for each in self.sides[1:-1] if each is not None and each.content is not None]
        former = (self.sides[0].state if self.sides[0] else None, *(each.state for each in rendered))
        return [each for each, before in zip(rendered, former, strict=False) if each.state is not before]

    @property
    def may_have_moves(self) -> bool:
        """True if a side has other objects than the first one, or has fewer."""
        before, *others = (objects_of(each).keys() for each in self.sides)
        return any(each != before for each in others)
