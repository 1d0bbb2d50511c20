"""What stages do to resources beside composing and expanding them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from renderer.model.act import Act
from renderer.model.field_path import ElementName, FieldPath
from renderer.model.location import Site
from renderer.model.render_config import Overlay
from renderer.model.resource import Resource
from renderer.provenance.version import Source
from renderer.source.project import PROJECT_FILE

#: What a field of the project file asks for.
_OPTIONS = frozenset({Act.INSTANCETYPE_NAME, Act.WEBHOOK_FIELD, Act.SYNC_WAVE})
_WORDS = {
    Act.SUBSTITUTED: "postBuild of the Flux Kustomization",
    Act.TARGET_FORM: "the form that the target release knows",
    Act.INSTANCETYPE_NAME: "instancetypeNames",
    Act.WEBHOOK_FIELD: "webhookFields",
    Act.SYNC_WAVE: "syncWaves",
    Act.SUPPRESSION: "annotations that silence rules are not written",
}


@dataclass(frozen=True, slots=True)
class Passed:
    """The maker of what a stage made of ``before`` in ``overlay``."""

    before: Resource
    act: Act
    overlay: Overlay

    def words(self, _field: FieldPath) -> str:
        return _WORDS.get(self.act, self.act.value)

    def sites(self, field: FieldPath) -> tuple[Site, ...]:
        """The line of the project that asks for it, or else where the field is written or could be."""
        if self.act not in _OPTIONS:
            return self.before.sites(field)
        option = self.words(field)
        entry = FieldPath.of("overlays", ElementName("path", self.overlay.listed_as), option)
        return Site(PROJECT_FILE, 0, entry), Site(PROJECT_FILE, 0, FieldPath.of(option))

    def sources(self, _field: FieldPath, _among: Sequence[Resource]) -> Iterator[Source]:
        yield from ()
