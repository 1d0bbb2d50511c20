"""An instance type or preference has the name of one that KubeVirt's operator deploys itself.

From 1.4 on, the operator deploys the cluster-wide instance types and preferences of common-instancetypes to
every cluster; from 1.1 to 1.3 it does so if the feature gate `CommonInstancetypesDeploymentGate` is on. Each
time it reconciles, it compares every object with its own version, and restores that version if anything
differs, labels included. Each sync of the repository overwrites it again. The two never stop, and a virtual
machine gets whichever version was written last.

Wrong, for a cluster of KubeVirt 1.9:

```yaml
kind: VirtualMachineClusterInstancetype
metadata:
  name: u1.medium
spec:
  cpu: {guest: 2}
  memory: {guest: 4Gi}
```

Right is any one of these: another name (`u1.mysize`); `writeInstancetypes: false` for the overlay in
`vmrender.yaml`, because expanded machines need no instance types; or an operator that deploys none:

```yaml
kind: KubeVirt
spec:
  configuration:
    commonInstancetypesDeployment:
      enabled: false
```

The rule can see this setting if the KubeVirt object is in the overlay, or is `kubevirt` in a catalog. It
reports the first object of each kind, and says how many others there are.
"""

from __future__ import annotations

from collections.abc import Iterator

from renderer.checks.rules.context import Context
from renderer.checks.rules.rule import Finding, Rule
from renderer.model.codes import Code
from renderer.model.kube.field_path import FieldPath
from renderer.model.rule_settings import Level

_NAME = FieldPath.of("metadata", "name")
_HINT = (
    "choose another name, set writeInstancetypes: false for the overlay, or set"
    " spec.configuration.commonInstancetypesDeployment.enabled: false in the KubeVirt object"
)


def _check(context: Context) -> Iterator[Finding]:
    named_alike = [
        [resource for resource in context.of_kind(kind) if resource.name in names]
        for kind, names in context.lookups.bundled_names(context.release).items()
    ]
    if not any(named_alike):
        return
    if not context.cluster.deploys_common_instancetypes:
        return
    for first, *others in filter(None, named_alike):
        subject = f"{first.name} is a name"
        if others:
            subject = f"{first.name} and {len(others)} other {first.kind}s have names"
        message = f"{subject} that the operator of KubeVirt {context.release} deploys itself"
        yield Finding(first, _NAME, message, _HINT)


RULE = Rule(Code.BUNDLED_NAME, Level.WARNING, _check, __doc__)
