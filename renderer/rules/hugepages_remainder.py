"""The memory of an instance type is no multiple of its huge page size.

KubeVirt refuses every machine of such an instance type (`validateHugepagesMemoryRequests` in
`pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go`), but not the instance type
itself, which may lie in a catalog for months before one is made. Machines of the overlay are told so
themselves, so this is about instance types that none of them names.

Wrong:

```yaml
kind: VirtualMachineClusterInstancetype
spec:
  memory:
    guest: 1500Mi
    hugepages: {pageSize: 1Gi}
```

Right:

```yaml
kind: VirtualMachineClusterInstancetype
spec:
  memory:
    guest: 2Gi
    hugepages: {pageSize: 1Gi}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from renderer.model.codes import Code
from renderer.model.field_path import FieldPath
from renderer.model.json import object_at
from renderer.model.quantity import nearest_whole_pages
from renderer.model.resource import Resource
from renderer.model.rule_settings import Level
from renderer.rules.amount import amount
from renderer.rules.context import Context
from renderer.rules.matchers import INSTANCETYPE, INSTANCETYPES, not_named_by_machines
from renderer.rules.rule import Finding, Rule, related_to

_GUEST = FieldPath.of("spec", "memory", "guest")
_PAGE_SIZE = FieldPath.of("spec", "memory", "hugepages", "pageSize")


def _check(context: Context) -> Iterator[Finding]:
    wrong = {
        id(resource): whole
        for resource in context.of_kind(*INSTANCETYPES)
        if (whole := _without_remainder(resource)) is not None
    }
    if not wrong:
        return
    resources = [resource for resource in context.of_kind(*INSTANCETYPES) if id(resource) in wrong]
    for resource in not_named_by_machines(context, INSTANCETYPE, resources):
        memory = object_at(resource.content, "spec", "memory")
        page_size = object_at(memory, "hugepages").get("pageSize")
        message = f"memory.guest {memory.get('guest')} is no multiple of the huge page size {page_size}"
        related = related_to(resource, f"pageSize: {page_size}", _PAGE_SIZE)
        hint = f"write {wrong[id(resource)]}; KubeVirt refuses every machine of this instance type"
        yield Finding(resource, _GUEST, message, hint, (related,))


def _without_remainder(resource: Resource) -> str | None:
    """The amounts nearest to the guest's memory that leave no remainder; None where it leaves none."""
    memory = object_at(resource.content, "spec", "memory")
    hugepages = memory.get("hugepages")
    if not isinstance(hugepages, dict) or not isinstance(memory.get("overcommitPercent", 0), int):
        return None
    guest, page_size = amount(memory.get("guest")), amount(hugepages.get("pageSize"))
    if guest is None or page_size is None or page_size.value() <= 0:
        return None
    return nearest_whole_pages(guest, page_size) if guest.value() % page_size.value() else None


RULE = Rule(Code.HUGEPAGES_REMAINDER, Level.WARNING, _check, __doc__)
