"""An engine that gives the same answers about all objects."""

from __future__ import annotations

from typing import NamedTuple

from renderer.model.difference import Impact
from renderer.model.kube.resource import Resource


class FakeEngine(NamedTuple):
    """``kept`` is why it deletes nothing; ``forced`` is its name if it deletes what is refused."""

    kept: str = ""
    forced: str = ""
    recreated: Impact | None = None
    removed: Impact | None = None

    def exemption(self, _moved: Resource, *, may_be_gone: bool) -> str:  # noqa: ARG002 - of the protocol
        return ""

    def retention(self, _removed: Resource, *, is_gone: bool) -> str:  # noqa: ARG002 - of the protocol
        return self.kept

    def removal(self, _removed: Resource) -> Impact | None:
        return self.removed

    def recreation(self, _before: Resource, _after: Resource, *, is_refused: bool) -> Impact | None:
        return self.recreated if is_refused else None

    def marked(self, _before: Resource, _after: Resource) -> Impact | None:
        return None

    def forced_deletion(self, _before: Resource, _after: Resource) -> str:
        return self.forced
