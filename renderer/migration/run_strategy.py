"""``running`` becomes ``runStrategy``, which every release knows and which KubeVirt 1.4 began to ask for.

KubeVirt ``pkg/virt-api/webhooks/validating-webhook/admitters/vms-admitter.go`` warns of the first and refuses
both together; ``staging/src/kubevirt.io/api/core/v1/types.go`` (RunStrategy) says what either means.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from renderer.kubevirt.placeholders import has_placeholder
from renderer.kubevirt.virtual_machine import ALWAYS, HALTED, VirtualMachinePaths
from renderer.migration.change import Change, Finding, NotMigrated, Subject, shown
from renderer.model.field_edit import FieldEdit, RemoveField, RenameField, SetField
from renderer.model.field_path import FieldPath
from renderer.model.json import JsonObject, object_at

_OLD, _NEW = "running", "runStrategy"
_STRATEGIES = {True: ALWAYS, False: HALTED}


def run_strategy_findings(content: JsonObject, paths: VirtualMachinePaths) -> Iterator[Finding]:
    """Yield the changes in a VirtualMachine, or in the one that a pool makes others of."""
    yield from _in_spec(object_at(content, *paths.spec.keys), paths.spec)


def _in_spec(spec: JsonObject, place: FieldPath) -> Iterator[Finding]:
    if _OLD not in spec:
        return
    running, field = spec[_OLD], place.child(_OLD)
    if running is None:
        yield _without_value(spec, field)
    elif not isinstance(running, bool):
        yield _not_a_choice(running, field)
    elif spec.get(_NEW) is not None:
        yield NotMigrated(
            field,
            f"{_OLD} and {_NEW} are both written, of which KubeVirt takes one",
            f"remove {_OLD}; {_NEW}: {_STRATEGIES[running]} is what it means",
        )
    elif _NEW in spec:
        yield _change(field, running=running, replaces=[RemoveField(place.child(_NEW))])
    else:
        yield _change(field, running=running)


def _change(field: FieldPath, *, running: bool, replaces: Iterable[FieldEdit] = ()) -> Change:
    """``replaces`` are the edits that make room for it."""
    strategy = _STRATEGIES[running]
    edits = (*replaces, RenameField(field, _NEW), SetField(field.parent.child(_NEW), strategy))
    return Change(Subject.RUN_STRATEGY, field, f"{_OLD}: {shown(running)}", f"{_NEW}: {strategy}", edits)


def _without_value(spec: JsonObject, field: FieldPath) -> Change:
    """Return the change of a null: in a patch it removes the field of the base, which is renamed too."""
    if _NEW in spec:
        return Change(Subject.RUN_STRATEGY, field, f"{_OLD}: null", "removed", (RemoveField(field),))
    return Change(Subject.RUN_STRATEGY, field, _OLD, _NEW, (RenameField(field, _NEW),))


def _not_a_choice(running: object, field: FieldPath) -> NotMigrated:
    if isinstance(running, str) and has_placeholder(running):
        return NotMigrated(
            field,
            f"{_OLD} is deprecated, and {shown(running)} is filled in only later",
            f"write {_NEW} with a variable whose values are Always and Halted",
        )
    return NotMigrated(
        field, f"{_OLD} is deprecated, and its value is neither true nor false", f"write {_NEW} instead"
    )
