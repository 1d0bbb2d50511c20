"""Two machines make a DataVolume of the same name.

`dataVolumeTemplates` belong to their machine, and the DataVolumes made of them are objects of the namespace.
Of two machines with a template of the same name the second finds a DataVolume that is another's, and both
would write to one disk.

Wrong:

```yaml
# web-1.yaml and web-2.yaml
dataVolumeTemplates:
  - metadata: {name: root}
```

Right:

```yaml
# web-1.yaml
dataVolumeTemplates:
  - metadata: {name: web-1-root}
# web-2.yaml
dataVolumeTemplates:
  - metadata: {name: web-2-root}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from renderer.model.codes import Code
from renderer.model.field_path import FieldPath
from renderer.model.json import text_at
from renderer.model.rule_settings import Level
from renderer.rules.context import Context
from renderer.rules.machine import Machine
from renderer.rules.rule import Finding, Rule, related_to


def _check(context: Context) -> Iterator[Finding]:
    first: dict[tuple[str, str], tuple[Machine, FieldPath]] = {}
    for machine in context.machines:
        if machine.is_one:
            for index, template in machine.data_volume_templates:
                name = text_at(template, "metadata", "name")
                field = machine.in_spec("dataVolumeTemplates", index, "metadata", "name")
                other, other_field = first.setdefault((machine.namespace, name), (machine, field))
                if name and other is not machine:
                    related = related_to(other.resource, f"{other.name} makes it here", other_field)
                    message = f"{other.name} makes a DataVolume {name} as well"
                    yield Finding(machine.resource, field, message, "name it after its machine", (related,))


RULE = Rule(Code.DUPLICATE_DATA_VOLUME, Level.WARNING, _check, __doc__)
