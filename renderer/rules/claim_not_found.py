"""A volume names a claim or DataVolume that was meant to come from this overlay, and does not.

A DataVolume makes a claim of its own name, so either is found under both. `dataVolumeTemplates` of all
machines count. The machine waits for a claim that is missing, and does not start.

Wrong:

```yaml
# the overlay has the PersistentVolumeClaim web-data
volumes:
  - name: data
    persistentVolumeClaim: {claimName: webdata}
```

Right:

```yaml
volumes:
  - name: data
    persistentVolumeClaim: {claimName: web-data}
```

What is not in Git may be in the cluster, so nothing is said where nothing in the overlay was meant. With
`claim-not-found: {strict: true}` in `rules` of `vmrender.yaml` every claim that the overlay does not hold is
reported.
"""

from __future__ import annotations

from functools import partial

from renderer.model.codes import Code
from renderer.model.rule_settings import Level
from renderer.rules.dangling import dangling, strictly_dangling
from renderer.rules.references import CLAIM
from renderer.rules.rule import Rule

RULE = Rule(
    Code.CLAIM_NOT_FOUND,
    Level.WARNING,
    partial(dangling, kind=CLAIM),
    __doc__,
    strict=partial(strictly_dangling, kind=CLAIM),
)
