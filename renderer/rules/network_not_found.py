"""A network names a NetworkAttachmentDefinition that was meant to come from this overlay, and does not.

Multus looks for the name in the machine's own namespace, or for `namespace/name` elsewhere. The pod of a
machine whose network is missing is never ready.

Wrong, where the definition `vlan10` is in the namespace `networks`:

```yaml
networks:
  - name: plant
    multus: {networkName: vlan10}
```

Right:

```yaml
networks:
  - name: plant
    multus: {networkName: networks/vlan10}
```

What is not in Git may be in the cluster, so nothing is said where nothing in the overlay was meant. With
`network-not-found: {strict: true}` in `rules` of `vmrender.yaml` every NetworkAttachmentDefinition that the
overlay does not hold is reported.
"""

from __future__ import annotations

from functools import partial

from renderer.model.codes import Code
from renderer.model.rule_settings import Level
from renderer.rules.dangling import dangling, strictly_dangling
from renderer.rules.references import NETWORK
from renderer.rules.rule import Rule

RULE = Rule(
    Code.NETWORK_NOT_FOUND,
    Level.WARNING,
    partial(dangling, kind=NETWORK),
    __doc__,
    strict=partial(strictly_dangling, kind=NETWORK),
)
