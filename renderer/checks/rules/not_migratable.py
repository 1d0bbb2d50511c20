"""A machine asks to be migrated when its node is drained, but it cannot be migrated.

With `evictionStrategy: LiveMigrate`, KubeVirt migrates the machine away before a node is drained. If it
cannot be migrated, KubeVirt denies each eviction of its pod (`pod-eviction-admitter.go` of virt-api), so the
drain, and with it an update of the cluster, waits until somebody stops the machine. Obstacles are a claim
that is not `ReadWriteMany`, a bridge on the pod network, a host disk, host devices and GPUs, and others that
`vmrender diff` names as well.

Wrong:

```yaml
kind: VirtualMachine
spec:
  template:
    spec:
      evictionStrategy: LiveMigrate  # and the claim root has accessModes: [ReadWriteOnce]
      volumes:
        - name: root
          persistentVolumeClaim: {claimName: root}
```

Right:

```yaml
evictionStrategy: LiveMigrateIfPossible  # or None: it is shut down with its node
```

or a claim with `accessModes: [ReadWriteMany]`. The rule reports only what the repository shows: the access
modes of claims that the overlay has, and of storage classes whose StorageProfile it has.
"""

from __future__ import annotations

from collections.abc import Iterator

from renderer.checks.rules.context import Context
from renderer.checks.rules.rule import Finding, MachineCheck, Rule
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.kubevirt.impact.migratable import obstacle_in_cluster
from renderer.kubevirt.impact.state import InstanceState
from renderer.model.codes import Code
from renderer.model.kube.json import object_at
from renderer.model.rule_settings import Level

_LIVE_MIGRATE = "LiveMigrate"


def _check_machine(context: Context, machine: VirtualMachineView) -> Iterator[Finding]:
    if machine.instance.get("evictionStrategy") != _LIVE_MIGRATE or not _is_written(context, machine):
        return
    modes = context.access_modes.get(machine.namespace, {})
    instance = InstanceState(object_at(machine.resource.content, *machine.paths.template.keys))
    obstacle = obstacle_in_cluster(context.cluster, modes, instance)
    if obstacle:
        yield Finding(
            machine.resource,
            machine.in_instance("evictionStrategy"),
            f"{machine.name} cannot be migrated, as {obstacle}: KubeVirt denies every eviction of its pod,"
            " and a drain of its node does not end",
            "write LiveMigrateIfPossible, or remove the obstacle",
        )


def _is_written(context: Context, machine: VirtualMachineView) -> bool:
    """Return True if the manifest has the strategy: otherwise it is the default of the cluster."""
    instance = machine.paths.instance.segments[len(machine.paths.spec.segments) :]
    written = object_at(context.spec_before(machine), *map(str, instance))
    return written.get("evictionStrategy") == _LIVE_MIGRATE


RULE = Rule(Code.NOT_MIGRATABLE, Level.WARNING, MachineCheck(_check_machine), __doc__)
