"""A virtual machine names a ConfigMap that was meant to come from this overlay, and does not.

ConfigMaps stand in volumes, in sysprep and, as certificates, in the sources of `dataVolumeTemplates`. One
made by a `configMapGenerator` gets a hash in its name, and kustomize does not know where virtual machines
name it.

Wrong:

```yaml
# kustomization.yaml
configMapGenerator:
  - name: settings
    files: [settings.ini]
# vm.yaml, in a volume
configMap: {name: settings}
```

Right:

```yaml
# kustomization.yaml
configMapGenerator:
  - name: settings
    files: [settings.ini]
    options: {disableNameSuffixHash: true}
# vm.yaml, in a volume
configMap: {name: settings}
```

What is not in Git may be in the cluster, so nothing is said where nothing in the overlay was meant. With
`config-map-not-found: {strict: true}` in `rules` of `vmrender.yaml` every ConfigMap that the overlay does
not hold is reported.
"""

from __future__ import annotations

from functools import partial

from renderer.model.codes import Code
from renderer.model.rule_settings import Level
from renderer.rules.dangling import dangling, strictly_dangling
from renderer.rules.references import CONFIG_MAP
from renderer.rules.rule import Rule

RULE = Rule(
    Code.CONFIG_MAP_NOT_FOUND,
    Level.WARNING,
    partial(dangling, kind=CONFIG_MAP),
    __doc__,
    strict=partial(strictly_dangling, kind=CONFIG_MAP),
)
