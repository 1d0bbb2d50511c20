"""An object of another operator names one that this overlay was meant to provide, but does not.

The operator waits for it, and reports that in the status of the object: a route without its Gateway serves
nothing, and an ExternalSecret without its store makes no Secret for the machines that need it.

Wrong, where the overlay has the SecretStore `vault`:

```yaml
kind: ExternalSecret
spec:
  secretStoreRef: {name: valt}
```

Right:

```yaml
kind: ExternalSecret
spec:
  secretStoreRef: {name: vault}
```

| object | what it names |
|---|---|
| routes of the Gateway API | the Gateway in `parentRefs`, and its listener in `sectionName` |
| ExternalSecret, ClusterExternalSecret, PushSecret | SecretStores and ClusterSecretStores |
| Service | the IPAddressPool in MetalLB's annotation |
| L2Advertisement, BGPAdvertisement, BGPPeer | IPAddressPools, BGPPeers and BFDProfiles |
| SriovNetwork, SriovIBNetwork, OVSNetwork | `resourceName` of a SriovNetworkNodePolicy |
| VolumeSnapshot, DataVolume, PersistentVolumeClaim | VolumeSnapshotClasses, and VolumeSnapshots as sources |
| Forklift's Plan, Migration, NetworkMap, StorageMap, Host | Providers, maps, Plans and Hooks |

The object may exist in the cluster without being in Git, so the rule reports a name only if the overlay shows
that one of its own objects was meant. Set `object-not-found: {strict: true}` in `rules` of `vmrender.yaml` to
report every such object that the overlay does not contain.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from renderer.checks.rules.context import Context
from renderer.checks.rules.not_found import dangling, strictly_dangling
from renderer.checks.rules.operator_references import (
    GATEWAY,
    GROUPS_OF_NAMED,
    OPERATOR_KINDS,
    SERVICE,
    SRIOV_RESOURCE,
    Named,
    operator_references,
)
from renderer.checks.rules.rule import Finding, Rule, related_to
from renderer.model.codes import Code
from renderer.model.field_edit import SetField
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import Json, array_at, text_at
from renderer.model.kube.resource import Resource
from renderer.model.kube.sharing import once_for_same
from renderer.model.placeholders import has_placeholder
from renderer.model.plural import listed
from renderer.model.rule_settings import Level
from renderer.model.suggest import suggest

_KINDS = (*(kind for kind in GROUPS_OF_NAMED if kind != SERVICE), SRIOV_RESOURCE)
_LISTENERS = FieldPath.of("spec", "listeners")


def _check(context: Context, *, is_strict: bool) -> Iterator[Finding]:
    find = strictly_dangling if is_strict else dangling
    yield from find(context, _KINDS)
    for resource in context.of_kind(*OPERATOR_KINDS):
        for named in operator_references(resource):
            if named.kind == GATEWAY:
                yield from _missing_listener(context, resource, named)


def _missing_listener(context: Context, route: Resource, named: Named) -> Iterator[Finding]:
    """Yield a finding if the one Gateway of the overlay with this name lacks the listener."""
    section = text_at(named.mapping, "sectionName")
    found = context.inventory.named_in(GATEWAY, named.name, named.namespace)
    if not section or has_placeholder(section) or len(found) != 1:
        return
    gateway = found[0].resource
    names = _names(array_at(gateway.content, *_LISTENERS.keys))
    if names is None or section in names:
        return
    message = f"the Gateway {named.name} has no listener {section}"
    at = named.field.parent.child("sectionName")
    near = suggest(section, names, most=1)
    hint = f"did you mean {near[0]}?" if near else f"its listeners are {listed([*names])}"
    related = related_to(gateway, f"Gateway {named.name} is here", _LISTENERS)
    yield Finding(route, at, message, hint, (related,), SetField(at, near[0]) if near else None)


@once_for_same
def _names(listeners: Sequence[Json]) -> Mapping[str, None] | None:
    """Return the names of listeners; None if any is filled in later."""
    names = dict.fromkeys(text_at(each, "name") for each in listeners)
    return None if any(map(has_placeholder, names)) else names


RULE = Rule(
    Code.OBJECT_NOT_FOUND,
    Level.WARNING,
    partial(_check, is_strict=False),
    __doc__,
    strict=partial(_check, is_strict=True),
)
