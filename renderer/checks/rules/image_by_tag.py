"""An image is named by its tag, which may mean another image at the next start.

A tag can be moved, and `latest` is. A machine with a container disk then boots another system after a restart
or on another node, and a rollback in Git brings nothing back. A digest always means the same image.

Wrong:

```yaml
containerDisk:
  image: quay.io/containerdisks/fedora:latest
```

Right:

```yaml
containerDisk:
  image: quay.io/containerdisks/fedora@sha256:2d43d13ac1cf2e2d8c4a9d0f3c9a3fd5a7f8a0a4ea4a8b7f1c6b5e7b2b2c9f10
```

If another machine of the overlay names the same image by tag and digest, such as
`quay.io/containerdisks/fedora:43@sha256:…`, the hint names that digest, and `vmrender fix` writes it.
It leaves DataVolumes as they are: CDI refuses another source for one that exists.

The rule is off unless a project sets its level, or `--strict` asks for it; then its findings are
information. It looks at container disks, kernel boot, DataVolumes from a registry and hook sidecars. A
DataImportCron follows a tag on purpose.
"""

from __future__ import annotations

from collections.abc import Iterator

from renderer.checks.rules.context import Context
from renderer.checks.rules.hook_sidecars import hook_images
from renderer.checks.rules.rule import Finding, MachineCheck, Rule
from renderer.kubevirt.facts.container_images import machine_images, with_tag
from renderer.kubevirt.facts.image_sources import HOOK_SIDECARS
from renderer.kubevirt.facts.kinds import DATA_VOLUME
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.model.codes import Code
from renderer.model.field_edit import SetField
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import object_at, text_at
from renderer.model.kube.resource import Resource
from renderer.model.placeholders import has_placeholder
from renderer.model.rule_settings import Level

_HOOK_SIDECARS = ("metadata", "annotations", HOOK_SIDECARS)
_REGISTRY = ("source", "registry", "url")


def _check_machine(context: Context, machine: VirtualMachineView) -> Iterator[Finding]:
    for path, image in machine_images(machine):
        for found in _problem(machine.resource, machine.in_instance(*path), image):
            yield _with_known_digest(context, found, image)
    for index, template in machine.data_volume_templates:
        field = machine.in_spec("dataVolumeTemplates", index, "spec", *_REGISTRY)
        yield from _problem(machine.resource, field, text_at(template, "spec", *_REGISTRY))
    template = object_at(machine.resource.content, *machine.paths.template.keys)
    hooks = text_at(template, *_HOOK_SIDECARS)
    for image in hook_images(hooks) if hooks else ():
        yield from _problem(machine.resource, machine.paths.template.child(*_HOOK_SIDECARS), image)


def _check_others(context: Context) -> Iterator[Finding]:
    for resource in context.of_kind(DATA_VOLUME):
        url = text_at(resource.content, "spec", *_REGISTRY)
        yield from _problem(resource, FieldPath.of("spec", *_REGISTRY), url)


def _problem(resource: Resource, field: FieldPath, image: str) -> Iterator[Finding]:
    name = image.partition("://")[2] or image  # the URL of a registry is docker://name
    if not name or "@" in name or has_placeholder(name):
        return
    yield Finding(
        resource,
        field,
        f"{image} may be another image at the next start, as it names no digest",
        "name it by its digest: NAME@sha256:…",
    )


def _with_known_digest(context: Context, found: Finding, image: str) -> Finding:
    """Return the finding with the digest that the overlay names elsewhere, if there is one."""
    name = with_tag(image)
    digests = context.image_digests.get(name, ())
    if len(digests) != 1:
        return found
    pinned = f"{name}@{next(iter(digests))}"
    return found._replace(
        hint=f"write {pinned}, as elsewhere in the overlay", fix=SetField(found.field, pinned)
    )


RULE = Rule(Code.IMAGE_BY_TAG, Level.OFF, MachineCheck(_check_machine, _check_others), __doc__)
