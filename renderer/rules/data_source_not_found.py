"""A DataVolume template names a DataSource that was meant to come from this overlay, and does not.

A `sourceRef` without a namespace means the machine's own. The DataVolume of a DataSource that is missing
stays empty, and the machine does not start. What a `DataImportCron` manages counts.

Wrong:

```yaml
# the overlay has the DataSource fedora-server
dataVolumeTemplates:
  - metadata: {name: web-root}
    spec:
      sourceRef: {kind: DataSource, name: fedoraserver}
```

Right:

```yaml
dataVolumeTemplates:
  - metadata: {name: web-root}
    spec:
      sourceRef: {kind: DataSource, name: fedora-server}
```

What is not in Git may be in the cluster, so nothing is said where nothing in the overlay was meant. With
`data-source-not-found: {strict: true}` in `rules` of `vmrender.yaml` every DataSource that the overlay does
not hold is reported.
"""

from __future__ import annotations

from functools import partial

from renderer.model.codes import Code
from renderer.model.rule_settings import Level
from renderer.rules.dangling import dangling, strictly_dangling
from renderer.rules.references import DATA_SOURCE
from renderer.rules.rule import Rule

RULE = Rule(
    Code.DATA_SOURCE_NOT_FOUND,
    Level.WARNING,
    partial(dangling, kind=DATA_SOURCE),
    __doc__,
    strict=partial(strictly_dangling, kind=DATA_SOURCE),
)
