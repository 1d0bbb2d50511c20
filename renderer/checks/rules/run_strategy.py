"""Rules about ``runStrategy`` and ``running``."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import partial

from renderer.checks.rules.context import Context
from renderer.checks.rules.rule import Finding, MachineCheck, Rule
from renderer.kubevirt.facts.virtual_machine import ALWAYS, HALTED, VirtualMachineView
from renderer.model.codes import Code
from renderer.model.field_edit import RenameField, SetField
from renderer.model.fix import Fix
from renderer.model.release import Release
from renderer.model.rule_settings import Level

#: The virtctl command that edits a machine with this strategy, and the effect of the next sync.
_EDITED_BY: Mapping[str, tuple[str, str]] = {
    HALTED: ("start", "stops it"),
    ALWAYS: ("stop", "starts it"),
    "Once": ("stop", "changes it back"),
}
#: The first release that warns of ``running``.
_WARNED_SINCE = Release(1, 4)


def _edited_by_virtctl(
    _: Context, machine: VirtualMachineView, strategies: Collection[str]
) -> Iterator[Finding]:
    strategy = machine.written_run_strategy if machine.is_one and machine.spec else None
    if strategy is not None and strategy.strategy in strategies:
        command, then = _EDITED_BY[strategy.strategy]
        yield Finding(
            machine.resource,
            strategy.field,
            f"virtctl {command} edits {strategy.written}, and the next sync {then} again",
            "runStrategy: Manual leaves starting and stopping to virtctl",
        )


RUN_STRATEGY = Rule(
    Code.RUN_STRATEGY,
    Level.INFO,
    MachineCheck(partial(_edited_by_virtctl, strategies=(HALTED,))),
    strict=MachineCheck(partial(_edited_by_virtctl, strategies=_EDITED_BY.keys())),
)


def _running(context: Context, machine: VirtualMachineView) -> Iterator[Finding]:
    if "running" not in machine.spec or not machine.is_one or context.release < _WARNED_SINCE:
        return
    strategy = machine.written_run_strategy
    if strategy is not None and strategy.field == machine.in_spec("running"):
        # The objects of OpenShift Templates, and the output of templates, are not changed.
        origin = machine.resource.origin
        is_generated = origin.text is not None or origin.field.segments[:1] == ("objects",)
        yield Finding(
            machine.resource,
            strategy.field,
            f"running is deprecated, and KubeVirt {context.release} warns of it",
            f"write runStrategy: {strategy.strategy}{'' if is_generated else ', as vmrender migrate does'}",
            fix=Fix.of(
                machine.resource,
                RenameField(strategy.field, "runStrategy"),
                SetField(strategy.field.parent.child("runStrategy"), strategy.strategy),
            ),
        )


RUNNING_DEPRECATED = Rule(Code.RUNNING_DEPRECATED, Level.WARNING, MachineCheck(_running))

RULES = (RUN_STRATEGY, RUNNING_DEPRECATED)
