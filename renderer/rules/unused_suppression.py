"""An annotation that silences a rule which has nothing to say.

`ignore.vmrender.io/CODE: reason` silences one rule for one object. When the object has no such finding
any more, the annotation is left over: it would silence the next mistake of that kind, unseen.

Wrong, when no other machine has the address:

    metadata:
      annotations:
        ignore.vmrender.io/duplicate-mac-address: the old machine is switched off

Right: without the annotation.

Annotations of rules that are `off`, and of objects that have errors, are not looked at.
"""

from __future__ import annotations

from collections.abc import Iterable

from renderer.model.codes import Code
from renderer.model.rule_settings import Level
from renderer.rules.context import Context
from renderer.rules.rule import Finding, Rule


def _check(_: Context) -> Iterable[Finding]:
    """What is unused is only known when all rules have been asked (``renderer.rules.judge``)."""
    return ()


RULE = Rule(Code.UNUSED_SUPPRESSION, Level.WARNING, _check, __doc__)
