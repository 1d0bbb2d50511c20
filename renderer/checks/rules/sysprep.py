"""A sysprep volume has no answer file that Windows can read, so the machine fails or asks at the console.

virt-launcher looks for `autounattend.xml` or `unattend.xml` in the ConfigMap or Secret, in capitals or not
(KubeVirt `pkg/config/sysprep.go` validateUnattendPresence). Without one of them the instance does not start.
Windows Setup stops at an answer file that is not well-formed XML, or that has another root than `unattend`.

Wrong:

```yaml
kind: ConfigMap
metadata: {name: answers}
data:
  unattended.xml: |
    <unattend xmlns="urn:schemas-microsoft-com:unattend"/>
```

Right:

```yaml
kind: ConfigMap
metadata: {name: answers}
data:
  unattend.xml: |
    <unattend xmlns="urn:schemas-microsoft-com:unattend"/>
```

Objects that are not in the repository, encrypted values and placeholders are not checked.
"""

from __future__ import annotations

from collections.abc import Iterator
from xml.parsers import expat

from renderer.checks.rules.context import Context
from renderer.checks.rules.guest_files import (
    Problem,
    files_of,
    finding,
    missing_key_finding,
    name_of,
    once_for_equal_data,
)
from renderer.checks.rules.rule import Finding, MachineCheck, Rule
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.kubevirt.guest_data.sources import MissingKey, Role
from renderer.model.codes import Code
from renderer.model.placeholders import has_placeholder
from renderer.model.rule_settings import Level

_ROOT = "unattend"


class _ForeignEntityError(Exception):
    """The document declares entities, which may expand without bound; they are not read."""


def _check_machine(context: Context, machine: VirtualMachineView) -> Iterator[Finding]:
    for file in files_of(context, machine):
        if file.role is not Role.ANSWER_FILE:
            continue
        if isinstance(file, MissingKey):
            yield missing_key_finding(file)
        else:
            for problem in _problems(file.content, name_of(file)):
                yield finding(file, problem)


@once_for_equal_data
def _problems(content: bytes, name: str) -> Iterator[Problem]:
    try:
        root = _root_of(content)
    except _ForeignEntityError:
        return
    except expat.ExpatError as error:
        if not has_placeholder(content.decode("utf-8", "replace")):
            cause = expat.errors.messages.get(error.code, "it cannot be parsed")
            message = f"{name} is not well-formed XML ({cause}), so Windows Setup stops"
            yield Problem(message, "correct the answer file", error.lineno, error.offset + 1)
        return
    if root != _ROOT:
        message = f"{name} has the root {root}, so Windows Setup does not use it"
        yield Problem(message, 'write <unattend xmlns="urn:schemas-microsoft-com:unattend"> as the root', 1)


def _root_of(content: bytes) -> str:
    """Return the local name of the root. Raises: ``ExpatError``, ``_ForeignEntityError``."""
    names: list[str] = []
    encoding = None if content.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8"
    parser = expat.ParserCreate(encoding, namespace_separator=" ")

    def start(name: str, _: object) -> None:
        names.append(name)

    def refuse(*_: object) -> None:
        raise _ForeignEntityError

    parser.StartElementHandler = start
    parser.EntityDeclHandler = refuse
    parser.Parse(content, True)  # noqa: FBT003 - the last part of the document
    return names[0].rpartition(" ")[2]


RULE = Rule(Code.SYSPREP, Level.WARNING, MachineCheck(_check_machine), __doc__)
