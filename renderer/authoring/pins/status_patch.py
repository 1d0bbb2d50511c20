"""Commands that clear the ControllerRevisions in the status of unpinned machines.

KubeVirt then records the instance type and the preference that the cluster has
(``pkg/instancetype/revision/store.go``, ``syncStatusWithMatcher``). The operation ``test`` makes the API
server refuse the patch if the status names another revision by then.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Iterator, Mapping

from renderer.kubevirt.facts.kinds import MATCHER_TYPES
from renderer.model.record import Record


class MachineToClear(Record):
    """A VirtualMachine, or all that ``selector`` matches, and the revisions by the key of the matcher."""

    namespace: str
    name: str
    revisions: Mapping[str, str]
    selector: str = ""


def clear_commands(machines: Iterable[MachineToClear]) -> Iterator[str]:
    """Yield one command for all VirtualMachines of a namespace with equal revisions, one for each pool.

    A name follows ``vm/``, so that kubectl does not read one that begins with ``-`` as an option.
    """
    alike: dict[tuple[str, str], list[str]] = {}
    for each in machines:
        namespace = ["-n", each.namespace] if each.namespace else []
        options = [*namespace, "--subresource=status", "--type=json", "-p", _json_patch(each.revisions)]
        clearing = shlex.join(options)
        if each.selector:
            find = shlex.join(["kubectl", "get", "vm", *namespace, "-l", each.selector, "-o", "name"])
            yield f'for vm in $({find}); do kubectl patch "$vm" {clearing}; done'
        else:
            alike.setdefault((each.namespace, clearing), []).append(each.name)
    for (_, clearing), names in alike.items():
        if len(names) == 1:
            yield f"kubectl patch {shlex.quote(f'vm/{names[0]}')} {clearing}"
        else:
            yield f'for vm in {shlex.join(names)}; do kubectl patch "vm/$vm" {clearing}; done'


def _json_patch(revisions: Mapping[str, str]) -> str:
    """Return the JSON patch that removes these revisions from a status."""
    operations: list[dict[str, str]] = []
    for each in MATCHER_TYPES:
        if each.key in revisions:
            path = f"/status/{each.status_ref}/controllerRevisionRef"
            operations.append({"op": "test", "path": f"{path}/name", "value": revisions[each.key]})
            operations.append({"op": "remove", "path": path})
    return json.dumps(operations, separators=(",", ":"))
