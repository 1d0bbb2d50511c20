"""A machine on huge pages requests less memory than its guest has, and the guest crashes when it uses all.

The pod gets as many huge pages as the machine *requests* memory (KubeVirt
`pkg/virt-controller/services/renderresources.go`, `WithHugePages`). Huge pages are never swapped or shared:
the first access beyond them kills the guest. KubeVirt refuses `overcommitPercent` beside huge pages in an
instance type, but not a request that comes to the same in a machine.

Wrong:

```yaml
domain:
  memory:
    guest: 8Gi
    hugepages: {pageSize: 2Mi}
  resources:
    requests: {memory: 6Gi}
```

Right:

```yaml
domain:
  memory:
    guest: 8Gi
    hugepages: {pageSize: 2Mi}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from renderer.model.codes import Code
from renderer.model.json import JsonObject, object_at
from renderer.model.rule_settings import Level
from renderer.rules.amount import amount
from renderer.rules.context import Context
from renderer.rules.machine import Machine
from renderer.rules.rule import Finding, Rule, related_to


def _check(context: Context) -> Iterator[Finding]:
    for machine in context.machines:
        memory = object_at(machine.domain, "memory")
        if memory.get("hugepages") is not None:
            yield from _of(machine, memory)


def _of(machine: Machine, memory: JsonObject) -> Iterator[Finding]:
    guest = amount(memory.get("guest"))
    requested = amount(object_at(machine.domain, "resources", "requests").get("memory"))
    if guest is None or requested is None or requested.sign <= 0 or requested.compare(guest) >= 0:
        return
    message = f"the guest has {guest.json} on huge pages, and only {requested.json} are requested for it"
    related = related_to(
        machine.resource, f"memory.guest: {guest.json}", machine.in_instance("domain", "memory", "guest")
    )
    at = machine.in_instance("domain", "resources", "requests", "memory")
    yield Finding(machine.resource, at, message, "request as much as the guest has, or nothing", (related,))


RULE = Rule(Code.HUGEPAGES_OVERCOMMIT, Level.WARNING, _check, __doc__)
