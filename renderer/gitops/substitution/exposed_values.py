"""Which values of variables are confidential because Flux puts them into a Secret or a password.

Nothing calls them confidential where they come from: in a Kustomization, or in a ConfigMap.
"""

from __future__ import annotations

from collections.abc import Iterable

from renderer.gitops.substitution.post_build import Variables
from renderer.kubevirt.facts.confidential.secret_values import readings_of_texts
from renderer.model.pattern import pattern
from renderer.model.run.readings import SHORTEST

#: The key of an entry that says who or where: an application is often the user of its database.
_IDENTITY = pattern(
    r"(?i).*(?:account|app|bucket|cluster|database|db|domain|email|endpoint|env(?:ironment)?|host|instance"
    r"|login|name|namespace|org(?:anization)?|owner|path|prefix|project|realm|region|repository|role|server"
    r"|service|team|tenant|uri|url|user|zone)"
)


def exposed_values(
    texts: Iterable[tuple[str, str]], names: Iterable[str], variables: Variables
) -> frozenset[str]:
    """Return the values that nothing calls confidential, and that become a Secret's value or a password.

    ``texts`` are confidential texts with their keys, and ``names`` the names and namespaces of objects, after
    substitution. A value that Secrets have only as a user, a host or the like is shown if a name has it.
    """
    public = {value for value in variables.values.values() if len(value) >= SHORTEST} - variables.confidential
    if not public:
        return frozenset()
    identities: set[str] = set()
    others: set[str] = set()
    for key, text in texts:
        made = public & readings_of_texts([text])
        identity = {text.strip()} if is_identity(key) else set[str]()
        identities |= made & identity
        others |= made - identity
    every_name = "\0".join(names)
    return frozenset(value for value in identities | others if value in others or value not in every_name)


def is_identity(key: str) -> bool:
    """Return True for the key of an entry that says who or where."""
    return _IDENTITY.fullmatch(key) is not None
