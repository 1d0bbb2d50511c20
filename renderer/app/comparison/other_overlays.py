"""Effects of a change in one overlay on machines of other overlays in the same cluster."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from renderer.app.comparison.claims_elsewhere import ClaimsElsewhere
from renderer.app.comparison.definitions_elsewhere import DefinitionsElsewhere
from renderer.app.comparison.new_namespaces import NewNamespaces
from renderer.app.comparison.policies_elsewhere import PoliciesElsewhere
from renderer.app.comparison.quotas_elsewhere import QuotasElsewhere
from renderer.app.comparison.readers_elsewhere import ReadersElsewhere
from renderer.app.comparison.rendered_sides import RenderedSide, written_of
from renderer.app.comparison.services_elsewhere import ServicesElsewhere
from renderer.app.comparison.shared_clusters import SharedClusters
from renderer.app.comparison.side import Side
from renderer.app.comparison.unknown_names import UnknownNames
from renderer.diff.adoptions import Adoptions
from renderer.diff.indirect_needs import IndirectNeeds
from renderer.diff.made_claims import MadeClaims
from renderer.diff.orders import OrdersElsewhere
from renderer.diff.shared_identities import SharedIdentities
from renderer.model.difference import OverlayDifference, ResourceChange
from renderer.model.render_config import Overlay


class OtherOverlays:
    """Judges what one overlay does to machines of another one, of all overlays on two sides."""

    def __init__(self, sides: tuple[Side, Side], clusters: SharedClusters) -> None:
        self._clusters = clusters
        self._readers = ReadersElsewhere(self._clusters)
        self._services = ServicesElsewhere(self._clusters)
        self._definitions = DefinitionsElsewhere(self._clusters, sides)
        self._claims = ClaimsElsewhere(self._clusters)
        self._policies = PoliciesElsewhere(self._clusters)
        self._quotas = QuotasElsewhere(self._clusters)
        self._indirect_needs = IndirectNeeds()
        self._made_claims = MadeClaims()
        self._orders = OrdersElsewhere()
        self._adoptions = Adoptions()
        self._identities = SharedIdentities()
        self._names = UnknownNames(sides, self._readers)
        self._namespaces = NewNamespaces(sides)

    def add(
        self,
        overlay: Overlay,
        found: OverlayDifference,
        before: RenderedSide | None,
        applied: RenderedSide | None,
    ) -> None:
        """Add an overlay, its difference, and what its engine applied before and applies now."""
        path = overlay.path
        self._clusters.add(overlay, before, applied)
        self._readers.add(path, applied)
        self._names.add(found, (before, applied))
        self._namespaces.add(overlay, found, (before, applied))
        self._services.add(path, before, applied)
        self._definitions.add(found, before, applied)
        self._claims.add(path, before, applied)
        self._policies.add(path, before, applied)
        self._quotas.add(path, before, applied)
        self._made_claims.add(path, before and before.content, applied and applied.content)
        self._indirect_needs.add(path, written_of(before), written_of(applied))
        self._identities.add(path, written_of(before), written_of(applied))
        self._orders.add(path, written_of(before), written_of(applied))
        self._adoptions.add(path, written_of(before), written_of(applied))

    def added_to(self, differences: Sequence[OverlayDifference]) -> Iterator[OverlayDifference]:
        """Yield the differences, with what machines read, name and need of other overlays, and where."""
        differences = self._definitions.added_to(differences)
        found: Iterable[OverlayDifference] = self._names.added_to(self._readers.added_to(differences))
        found = self._services.added_to(self._namespaces.added_to(found))
        for each in self._quotas.added_to(self._policies.added_to(self._claims.added_to(found))):
            orders = (
                self._orders.judged(change, each.path, self._clusters.share, each.releases[1])
                for change in each.changes
            )
            changes = tuple(self._in_cluster(change, each.path) for change in orders)
            yield each._replace(changes=changes)

    def _in_cluster(self, change: ResourceChange, path: str) -> ResourceChange:
        """Return a change, with what machines need of it, and what two objects of its cluster share."""
        change = self._indirect_needs.judged(change, path, self._clusters.share)
        change = self._made_claims.judged(change, path, self._clusters.share)
        change = self._adoptions.judged(change, path, self._clusters.share)
        return self._identities.judged(change, path, self._clusters.share)
