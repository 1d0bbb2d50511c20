"""Argo CD waits for a machine that is not meant to run, and the sync never ends.

A sync with more than one wave, or with hooks, waits until everything in a wave is healthy (Argo CD
`gitops-engine/pkg/sync/sync_context.go`). A stopped machine is *Suspended*, not healthy, until it is started
(`resource_customizations/kubevirt.io/VirtualMachine/health.lua`). Objects in later waves are not applied, and
the operation continues until it is terminated.

Wrong:

```yaml
kind: VirtualMachine
metadata:
  annotations:
    argocd.argoproj.io/sync-wave: "1"
spec:
  runStrategy: Halted
```

Right: put the machine into an overlay whose objects have no sync waves, or define a health check in
`argocd-cm`:

```yaml
resource.customizations.health.kubevirt.io_VirtualMachine: |
  hs = {status = "Healthy", message = "stopped on purpose"}
  return hs
```
"""

from __future__ import annotations

from collections.abc import Iterator

from renderer.checks.rules.context import Context
from renderer.checks.rules.rule import Finding, Rule, related_to
from renderer.kubevirt.facts.virtual_machine import HALTED
from renderer.model.codes import Code
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import object_at
from renderer.model.kube.resource import Resource
from renderer.model.record import Record
from renderer.model.rule_settings import Level
from renderer.model.sync_options import HOOK_ANNOTATION, SYNC_WAVE_ANNOTATION, sync_wave

_SYNC = "Sync"
#: Hooks that are not part of a successful sync.
_NO_STEPS = frozenset({"Skip", "SyncFail", "PreDelete", "PostDelete"})


class _Step(Record):
    """The step in which Argo CD applies an object: a phase, and a wave within it."""

    phase: str
    wave: int

    def __str__(self) -> str:
        return f"sync wave {self.wave}" if self.phase == _SYNC else f"the phase {self.phase}"


def _check(context: Context) -> Iterator[Finding]:
    steps = {step: resource for resource in context.resources if (step := _step(resource)) is not None}
    if len(steps) <= 1:
        return
    for machine in context.machines:
        strategy = machine.written_run_strategy if machine.spec else None
        step = _step(machine.resource)
        if strategy is not None and strategy.strategy == HALTED and step is not None:
            other = next(resource for each, resource in steps.items() if each != step)
            annotation = HOOK_ANNOTATION if HOOK_ANNOTATION in other.annotations else SYNC_WAVE_ANNOTATION
            related = related_to(
                other,
                f"{other.kind} {other.name} is in {_step(other)}",
                FieldPath.of("metadata", "annotations", annotation),
            )
            yield Finding(
                machine.resource,
                strategy.field,
                f"the machine is in {step} and does not run: Argo CD never finishes the sync",
                "Argo CD treats a stopped machine as unhealthy: use no waves here, or your own health check",
                (related,),
            )


def _step(resource: Resource) -> _Step | None:
    """Return the step of an object; None if it is not part of a successful sync."""
    annotations = object_at(resource.content, "metadata", "annotations")
    phase = str(annotations.get(HOOK_ANNOTATION) or _SYNC) if annotations else _SYNC
    return None if phase in _NO_STEPS else _Step(phase, sync_wave(resource))


RULE = Rule(Code.HALTED_IN_SYNC_WAVES, Level.WARNING, _check, __doc__)
