"""A virtual machine names a ServiceAccount that was meant to come from this overlay, and does not.

A ServiceAccount stands in a volume, whose disk carries its token into the guest, or in `serviceAccountName`.
Pods of a ServiceAccount that is missing are refused, so the machine does not start.

Wrong:

```yaml
# the overlay has the ServiceAccount backup-agent
volumes:
  - name: token
    serviceAccount: {serviceAccountName: backupagent}
```

Right:

```yaml
volumes:
  - name: token
    serviceAccount: {serviceAccountName: backup-agent}
```

What is not in Git may be in the cluster, so nothing is said where nothing in the overlay was meant. With
`service-account-not-found: {strict: true}` in `rules` of `vmrender.yaml` every ServiceAccount that the
overlay does not hold is reported.
"""

from __future__ import annotations

from functools import partial

from renderer.model.codes import Code
from renderer.model.rule_settings import Level
from renderer.rules.dangling import dangling, strictly_dangling
from renderer.rules.references import SERVICE_ACCOUNT
from renderer.rules.rule import Rule

RULE = Rule(
    Code.SERVICE_ACCOUNT_NOT_FOUND,
    Level.WARNING,
    partial(dangling, kind=SERVICE_ACCOUNT),
    __doc__,
    strict=partial(strictly_dangling, kind=SERVICE_ACCOUNT),
)
