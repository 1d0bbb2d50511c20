"""That a build goes beyond a limit, as a diagnostic."""

from __future__ import annotations

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.limits import limits, way_out
from renderer.model.location import Site
from renderer.model.resource import Resource


def over_limit(limit: str, message: str, *sites: Site, resource: Resource | None = None) -> DiagnosticError:
    """The error; ``limit`` is the field of ``Limits``."""
    return DiagnosticError(
        Diagnostic(
            code=Code.BUILD_LIMIT,
            message=message,
            sites=sites or (resource.sites() if resource else ()),
            resource=resource.current_id if resource else None,
            hint=way_out(limit),
        )
    )


def check_name(resource: Resource) -> None:
    """Raises ``DiagnosticError``: build-limit."""
    most = limits().name_length
    if len(resource.name) > most or len(resource.namespace) > most:
        # Without the object's id, which has the name in it.
        message = f"the name of the {resource.kind[:most]} has more than {most} characters"
        raise over_limit("name_length", message, *resource.sites())
