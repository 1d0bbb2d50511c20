"""Offline GitOps manifest renderer for KubeVirt: the command ``vmrender``, and a library.

The functions and values of the library are defined in ``renderer.app.api``, which says how to use them. They
are imported on first use, so that the command does not pay for them.
"""

__version__ = "0.1.0"

_LIBRARY = "renderer.app.api"
__all__ = [
    "Comparison",
    "Diagnostic",
    "DiagnosticError",
    "Expanded",
    "Explanation",
    "Findings",
    "Fleet",
    "FleetMachine",
    "Overlay",
    "Project",
    "RenderResult",
    "Rendered",
    "ResourceHistory",
    "UsageError",
    "__version__",
    "compare",
    "compare_objects",
    "expand",
    "explain",
    "explain_code",
    "list_fleet",
    "list_overlays",
    "open_project",
    "render",
    "validate",
    "validate_object",
    "write",
]


def __getattr__(name: str) -> object:
    """Return a name of the library (PEP 562)."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 - the command needs no library

    found: object = getattr(import_module(_LIBRARY), name)
    return found


def __dir__() -> list[str]:
    return __all__
