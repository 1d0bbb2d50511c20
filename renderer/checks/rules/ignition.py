"""Ignition cannot read its configuration, so the guest stops at its first start or starts without it.

Ignition reads JSON whose `ignition.version` is a version that it knows, with all three numbers (Ignition
`config/config.go` Parse). It comes from the annotation `kubevirt.io/ignitiondata` of the template, or from
the user data of a cloud-init volume. Butane, which is YAML, has to be converted first. Unknown keys are
ignored.

Wrong:

```yaml
cloudInitConfigDrive:
  userData: |
    {"ignition": {"version": "3.4"}, "password": {"users": []}}
```

Right:

```yaml
cloudInitConfigDrive:
  userData: |
    {"ignition": {"version": "3.4.0"}, "passwd": {"users": []}}
```

Configurations in Secrets of the repository are checked as well; those with placeholders are not.
"""

from __future__ import annotations

from collections.abc import Iterator

from renderer.checks.rules.context import Context
from renderer.checks.rules.guest_files import (
    GuestYaml,
    Problem,
    files_of,
    finding,
    name_of,
    nearest_key,
    once_for_equal_data,
)
from renderer.checks.rules.rule import Finding, MachineCheck, Rule
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.kubevirt.guest_data.sources import MissingKey, Role
from renderer.kubevirt.guest_data.user_data import is_butane
from renderer.model.codes import Code
from renderer.model.kube.json import Json, object_at
from renderer.model.pattern import pattern
from renderer.model.placeholders import has_placeholder
from renderer.model.rule_settings import Level

#: The keys of a configuration of version 2 or 3 (Ignition ``docs/configuration-v3_5.md``, ``…-v2_3.md``).
_KEYS = ("ignition", "kernelArguments", "networkd", "passwd", "storage", "systemd")
_VERSION = pattern(r"[123]\.\d+\.\d+(-[0-9A-Za-z.-]+)?")
_STOPS = "so Ignition stops the guest's first start"


def _check_machine(context: Context, machine: VirtualMachineView) -> Iterator[Finding]:
    for file in files_of(context, machine):
        if isinstance(file, MissingKey) or file.role not in (Role.IGNITION, Role.USER_DATA):
            continue
        for problem in _problems(file.content, name_of(file), is_ignition=file.role is Role.IGNITION):
            yield finding(file, problem)


@once_for_equal_data
def _problems(content: bytes, name: str, *, is_ignition: bool) -> Iterator[Problem]:
    """Yield the mistakes; user data is Ignition's only if it seems to be."""
    text = content.decode("utf-8", "replace")
    if not text.strip() or has_placeholder(text):
        return
    if not text.lstrip().startswith("{"):
        if is_butane(text):
            message = f"{name} is Butane, which Ignition does not read"
            yield Problem(message, "convert it with butane, and write the JSON", 1)
        elif is_ignition:
            yield Problem(f"{name} is not JSON, {_STOPS}", 'write {"ignition": {"version": "3.4.0"}, …}', 1)
        return
    import json  # noqa: PLC0415 - few machines have a configuration of Ignition

    try:
        data: Json = json.loads(text)
    except (ValueError, RecursionError) as error:
        if is_ignition or '"ignition"' in text:
            line, column = getattr(error, "lineno", 1), getattr(error, "colno", 1)
            yield Problem(f"{name} is not JSON, {_STOPS}", "correct the JSON", line, column)
        return
    if not isinstance(data, dict) or not (is_ignition or any(_meant(key) or key in _KEYS for key in data)):
        return
    yield from _problems_of_keys(GuestYaml(text, 1), name, data)


def _problems_of_keys(text: GuestYaml, name: str, data: dict[str, Json]) -> Iterator[Problem]:
    wrong = False
    for key in data:
        meant = _meant(key)
        if meant and meant not in data:
            wrong = True
            message = f"{name} has a key {key}, which Ignition does not know"
            yield text.problem((key,), message, f"did you mean {meant}?")
    if "ignition" not in data:
        if not wrong:
            message = f"{name} has no ignition.version, {_STOPS}"
            yield Problem(message, 'add "ignition": {"version": "3.4.0"}', 1)
        return
    version = object_at(data, "ignition").get("version")
    if not isinstance(version, str) or not _VERSION.fullmatch(version):
        has_version = version is not None
        path = ("ignition", "version") if has_version else ("ignition",)
        what = "an ignition.version that Ignition cannot read" if has_version else "no ignition.version"
        yield text.problem(path, f"{name} has {what}, {_STOPS}", 'write "version": "3.4.0"')


def _meant(key: str) -> str | None:
    return nearest_key(key, _KEYS)


RULE = Rule(Code.IGNITION, Level.WARNING, MachineCheck(_check_machine), __doc__)
