"""Check what ResourceSets of the Flux operator make, in overlays that have the sets as objects.

The objects are checked together with the objects of the overlay, and are not written. In an entry of Flux,
they are an overlay of their own (``pipeline.resource_sets``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from renderer.gitops.flux.flux_operator import is_resource_set
from renderer.gitops.flux.resource_set import generate_objects
from renderer.model.diagnostic import Diagnostic, Outcome
from renderer.model.kube.resource import ResourceSet


def resource_set_findings(
    resources: ResourceSet, check: Callable[[ResourceSet], Outcome[ResourceSet]]
) -> Iterator[Diagnostic]:
    """Yield the findings about the ResourceSets among ``resources``, and about what they make.

    ``check`` runs the stages. A set with inputs from elsewhere makes nothing.
    """
    known = {each.reference: each for each in resources}
    for entry in filter(is_resource_set, resources):
        made = generate_objects(entry, known)
        yield from made.findings
        if not len(made.objects):
            continue
        places = {each.current_id: each.origin for each in made.objects}
        for found in check(ResourceSet((*resources, *made.objects))).diagnostics:
            origin = places.get(found.resource) if found.resource else None
            if origin and any(site.is_within(origin) for site in found.sites):
                yield found
