"""A password or a key is in Git in plain text, where everybody who can read the repository can read it.

It stays in the history after it is removed, so it has to be changed as well. The rule looks at what machines
start with: user data of cloud-init, answer files of Windows, Ignition, the arguments of a kernel, and Secrets
that a machine uses, if their values are in the repository. A hash of a password counts, as it can be guessed.

Wrong:

```yaml
cloudInitNoCloud:
  userData: |
    #cloud-config
    password: Tr0ub4dor&3
```

Right, with a Secret that is sealed, encrypted by SOPS, or made by External Secrets:

```yaml
cloudInitNoCloud:
  secretRef: {name: web-init}
```

Words that everybody knows, such as `fedora` or `changeme`, are not reported, since they protect nothing: set
`credential-in-git: {strict: true}` in `rules` of `vmrender.yaml` to report them, too. Encrypted values and
placeholders are not reported. There is one finding for each text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

from renderer.checks.rules.context import Context
from renderer.checks.rules.guest_files import (
    GuestYaml,
    Problem,
    files_of,
    finding,
    name_of,
    objects_named,
    once_for_equal_data,
)
from renderer.checks.rules.rule import Finding, MachineCheck, Rule
from renderer.kubevirt.facts.kinds import SECRET
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView, elements
from renderer.kubevirt.guest_data.credentials import (
    Credential,
    credentials_in_answer_file,
    credentials_in_ignition,
    credentials_in_kernel_arguments,
    credentials_in_user_data,
    is_plaintext,
    is_throw_away,
)
from renderer.kubevirt.guest_data.sources import GuestFile, MissingKey, Role, plain_values
from renderer.model.codes import Code
from renderer.model.kube.json import object_at, text_at
from renderer.model.kube.resource import Resource
from renderer.model.kube.sharing import once_for_same
from renderer.model.rule_settings import Level

_KNOWN_TO_ALL = "so everybody who can read the repository knows it"
_MOVE = "move the data to a sealed or encrypted Secret, name that in"
_CHANGE = "and change the"
_HINTS = {
    Role.USER_DATA: f"{_MOVE} secretRef, {_CHANGE}",
    Role.ANSWER_FILE: f"{_MOVE} sysprep.secret, {_CHANGE}",
    Role.IGNITION: f"{_MOVE} secretRef of a cloud-init volume, {_CHANGE}",
}
_SEAL = "seal or encrypt the Secret, or have External Secrets make it, and change the"


def _check_machine(context: Context, machine: VirtualMachineView, *, strict: bool) -> Iterator[Finding]:
    for file in files_of(context, machine):
        if isinstance(file, MissingKey) or file.role is Role.NETWORK_DATA:
            continue
        found = _reported(_credentials(file.content, file.role), strict=strict)
        if found:
            yield _finding_in_file(file, found)
    yield from _kernel_arguments(machine, strict=strict)
    for name in dict.fromkeys(_secrets_of_values(machine)):
        for secret in objects_named(context, SECRET, name, machine.namespace):
            found_value = _plain_secret(secret, strict)
            if found_value is not None:
                yield found_value


@once_for_equal_data
def _credentials(content: bytes, role: Role) -> Iterable[Credential]:
    if role is Role.ANSWER_FILE:
        return credentials_in_answer_file(content)
    if role is Role.IGNITION:
        return credentials_in_ignition(content.decode("utf-8", "replace"))
    return credentials_in_user_data(content)


def _reported(found: Iterable[Credential], *, strict: bool) -> tuple[Credential, ...]:
    return tuple(each for each in found if strict or not each.is_throw_away)


def _finding_in_file(file: GuestFile, found: tuple[Credential, ...]) -> Finding:
    """Return the one finding about the credentials in a file, at the first of them."""
    first, kinds = found[0], list(dict.fromkeys(each.what for each in found))
    message = f"{name_of(file)} holds a {' and a '.join(kinds)} in plain text, {_KNOWN_TO_ALL}"
    what = "key" if kinds == ["private key"] else "password"
    is_secret = file.resource.kind == SECRET
    hint = f"{_SEAL if is_secret else _HINTS[file.role]} {what}"
    if not first.path:
        return finding(file, Problem(message, hint, first.line))
    return finding(file, GuestYaml(first.text, first.line).problem(first.path, message, hint))


def _kernel_arguments(machine: VirtualMachineView, *, strict: bool) -> Iterator[Finding]:
    path = ("firmware", "kernelBoot", "kernelArgs")
    arguments = text_at(machine.domain, *path)
    if arguments and _reported(credentials_in_kernel_arguments(arguments), strict=strict):
        message = f"kernelArgs holds a password or token in plain text, {_KNOWN_TO_ALL}"
        hint = "have the guest read it from a Secret, and change it"
        yield Finding(machine.resource, machine.in_instance("domain", *path), message, hint)


def _secrets_of_values(machine: VirtualMachineView) -> Iterator[str]:
    """Yield the names of Secrets whose values are credentials by their use."""
    for _, credential in elements(machine.instance.get("accessCredentials")):
        yield text_at(credential, "userPassword", "source", "secret", "secretName")
    for _, volume in machine.volumes:
        yield text_at(volume, "secret", "secretName")
        yield text_at(volume, "containerDisk", "imagePullSecret")
    for _, template in machine.data_volume_templates:
        source = object_at(template, "spec", "source")
        for kind in source:
            yield text_at(source, kind, "secretRef")


@once_for_same
def _plain_secret(secret: Resource, strict: bool) -> Finding | None:  # noqa: FBT001 - of once_for_same
    """Return the one finding about a Secret whose values are in the repository, for all machines."""
    for field, key, value in plain_values(secret):
        if is_plaintext(value) and (strict or not is_throw_away(value)):
            message = f"Secret {secret.name} holds the value of {key} in plain text, {_KNOWN_TO_ALL}"
            return Finding(secret, field, message, f"{_SEAL} value")
    return None


RULE = Rule(
    Code.CREDENTIAL_IN_GIT,
    Level.WARNING,
    MachineCheck(partial(_check_machine, strict=False)),
    __doc__,
    strict=MachineCheck(partial(_check_machine, strict=True)),
)
