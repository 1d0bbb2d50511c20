"""The findings about a dump that is not what ``kubectl get -o yaml`` or ``-o json`` prints."""

from __future__ import annotations

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.location import Location

PRINT_HINT = "print the objects with kubectl get … -o yaml, or -o json"


def invalid(message: str, location: Location, hint: str = PRINT_HINT) -> DiagnosticError:
    """Return the error for something that is no object of a cluster."""
    return DiagnosticError(Diagnostic(code=Code.DUMP_INVALID, message=message, location=location, hint=hint))


_AGAIN_HINT = "print the objects once more, and see that kubectl comes to its end and the disk is not full"


def truncated(location: Location) -> DiagnosticError:
    """Return the error for a text that ends before the list or object in it does."""
    return invalid("the dump ends here in the middle of a list or an object", location, _AGAIN_HINT)


def without_end(location: Location) -> DiagnosticError:
    """Return the error for a list in YAML whose kind, which kubectl prints behind the items, is missing."""
    return invalid("the list that begins here has no kind: the dump ends too early", location, _AGAIN_HINT)
