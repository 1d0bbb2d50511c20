"""The name of a virtual machine is too long to be a label, so the machine cannot be migrated.

Kubernetes accepts 253 characters in a name, and 63 in the value of a label. KubeVirt copies the name into
labels: into `kubevirt.io/vmi-name` of each live migration, which the API server then rejects
(`mutating-webhook/mutators/migration-create-mutator.go`), and into `persistent-state-for` of the claim that
stores a persistent TPM or EFI, without which the machine does not start (`pkg/storage/backend-storage`). The
guest's host name is truncated to 63 characters.

Machines of a VirtualMachinePool get the pool's name, a dash and a number, so the pool's name has to be
shorter.

Wrong:

```yaml
kind: VirtualMachine
metadata:
  name: warehouse-management-system-database-primary-production-frankfurt
```

Right:

```yaml
kind: VirtualMachine
metadata:
  name: wms-db-primary-fra
```
"""

from __future__ import annotations

from collections.abc import Iterator

from renderer.checks.rules.context import Context
from renderer.checks.rules.rule import Finding, MachineCheck, Rule
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.model.codes import Code
from renderer.model.kube.field_path import FieldPath
from renderer.model.rule_settings import Level

_LONGEST = 63
_POOL_SUFFIX = len("-0")


def _check_machine(_: Context, machine: VirtualMachineView) -> Iterator[Finding]:
    longest = _LONGEST if machine.is_one else _LONGEST - _POOL_SUFFIX
    if len(machine.name) > longest:
        yield Finding(
            machine.resource,
            FieldPath.of("metadata", "name"),
            f"the name has {len(machine.name)} characters, and becomes a label, which holds 63",
            f"give it at most {longest} characters: with this one it cannot be live-migrated",
        )


RULE = Rule(Code.NAME_TOO_LONG, Level.WARNING, MachineCheck(_check_machine), __doc__)
