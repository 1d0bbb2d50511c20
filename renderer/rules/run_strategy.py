"""Starting or stopping the machine edits a field that Git holds, and the next sync undoes it.

`virtctl start` writes `runStrategy: Always` into a machine that is `Halted`, and `virtctl stop` writes
`Halted` into one that is `Always` or `Once` (KubeVirt `pkg/virt-api/rest/lifecycle.go`; `running` is written
the same way). Argo CD and Flux then see a difference, and the sync that removes it stops or starts the
machine. With `Manual` and `RerunOnFailure` both are requests in the status, which no sync touches.

Reported are machines that are halted in Git, as those are there to be started by hand, and a sync would
switch them off while they are used. With `run-strategy: {strict: true}` those that `virtctl stop` edits are,
too.

Wrong:

```yaml
spec:
  runStrategy: Halted
```

Right, where people start and stop the machine:

```yaml
spec:
  runStrategy: Manual
```

Right as well, where Git is to have the last word: `Halted`, with the annotation
`ignore.vmrender.io/run-strategy: only Git switches it on`. Or let the sync ignore the field, with
`ignoreDifferences` on `/spec/runStrategy` and `RespectIgnoreDifferences=true` in Argo CD.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import partial

from renderer.model.codes import Code
from renderer.model.rule_settings import Level
from renderer.rules.context import Context
from renderer.rules.power import ALWAYS, HALTED, power_of
from renderer.rules.rule import Finding, Rule

#: What edits a machine with the strategy, and what the sync does then.
_EDITED_BY: Mapping[str, tuple[str, str]] = {
    HALTED: ("start", "stops it"),
    ALWAYS: ("stop", "starts it"),
    "Once": ("stop", "changes it back"),
}


def _check(context: Context, strategies: Collection[str]) -> Iterator[Finding]:
    for machine in context.machines:
        power = power_of(machine) if machine.is_one and machine.spec else None
        if power is not None and power.strategy in strategies:
            command, then = _EDITED_BY[power.strategy]
            yield Finding(
                machine.resource,
                power.field,
                f"virtctl {command} edits {power.written}, and the next sync {then} again",
                "runStrategy: Manual leaves starting and stopping to virtctl",
            )


RULE = Rule(
    Code.RUN_STRATEGY,
    Level.INFO,
    partial(_check, strategies=(HALTED,)),
    __doc__,
    strict=partial(_check, strategies=_EDITED_BY.keys()),
)
