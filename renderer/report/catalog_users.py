"""The virtual machines that would get the changes of a catalog, as lines and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from renderer.authoring.catalogs.user import CatalogUser
from renderer.kubevirt.facts.kinds import VM
from renderer.model.kube.json import Json
from renderer.model.kube.res_id import ResId
from renderer.model.plural import listed
from renderer.report.diff_json import guest_json
from renderer.report.diff_outlook import sights_at_risk
from renderer.report.diff_words import qualified_name
from renderer.report.json_document import resource_json
from renderer.report.plain_text import printable

_MOST_NAMES = 5
_KEPT = "a VM with matchers keeps its ControllerRevision until a matcher names another object"


def as_text(users: Iterable[CatalogUser]) -> str:
    """Return the machines with what is at risk in their guests, equal ones as one; empty without any."""
    found: dict[tuple[str, ...], list[str]] = {}
    for user in users:
        lines = tuple(_lines(user))
        if lines:
            found.setdefault(lines, []).append(f"{_name(user.machine)} in {printable(user.overlay)}")
    if not found:
        return ""
    title = f"virtual machines that would get them ({_KEPT}):"
    blocks = ("\n".join((f"  {listed(names, _MOST_NAMES)}", *lines)) for lines, names in found.items())
    return "".join(f"{block}\n" for block in (title, *blocks))


def _name(machine: ResId) -> str:
    kind = "" if machine.gvk.kind == VM else f"{printable(machine.gvk.kind)} "
    return f"{kind}{qualified_name(machine)}"


def _lines(user: CatalogUser) -> Iterator[str]:
    for seen in sights_at_risk(user.guest):
        yield from (f"    guest sees {line}" for line in seen.lines)
        yield f"      at risk: {seen.risk}"


def as_json(users: Iterable[CatalogUser]) -> Json:
    """Return each machine with everything that its guest would see."""
    return [
        {
            "overlay": user.overlay,
            "machine": resource_json(user.machine),
            "guest": [guest_json(each) for each in user.guest],
        }
        for user in users
    ]
