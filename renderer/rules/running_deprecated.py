"""`running` is deprecated: every change of the machine is answered with a warning.

Since 1.4 KubeVirt warns of `spec.running` whenever a VirtualMachine is created or changed
(`pkg/virt-api/webhooks/validating-webhook/admitters/vms-admitter.go`). It takes no other strategy than
`Always` and `Halted`, and a machine that has both fields is refused, as when a patch adds `runStrategy`.
`vmrender migrate` writes the field anew.

Wrong:

```yaml
spec:
  running: true
```

Right:

```yaml
spec:
  runStrategy: Always
```
"""

from __future__ import annotations

from collections.abc import Iterator

from renderer.model.codes import Code
from renderer.model.release import Release
from renderer.model.rule_settings import Level
from renderer.rules.context import Context
from renderer.rules.power import power_of
from renderer.rules.rule import Finding, Rule

_WARNED_SINCE = Release(1, 4)


def _check(context: Context) -> Iterator[Finding]:
    if context.release < _WARNED_SINCE:
        return
    for machine in context.machines:
        power = power_of(machine) if "running" in machine.spec and machine.is_one else None
        if power is not None and power.field == machine.in_spec("running"):
            yield Finding(
                machine.resource,
                power.field,
                f"running is deprecated, and KubeVirt {context.release} warns of it",
                f"write runStrategy: {power.strategy}, as vmrender migrate does",
            )


RULE = Rule(Code.RUNNING_DEPRECATED, Level.WARNING, _check, __doc__)
