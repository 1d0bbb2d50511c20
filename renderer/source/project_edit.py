"""Changes to ``vmrender.yaml`` that keep its comments and layout."""

from __future__ import annotations

from collections.abc import Iterable

from renderer.model.json import Json
from renderer.model.render_config import BuiltinCatalog, CatalogPath
from renderer.source.project import API_VERSION, KIND, PROJECT_FILE
from renderer.yamlio.edit import add_entry

_FIELD = "catalogs"


def with_catalog(
    content: bytes | None, folder: str, catalogs: Iterable[CatalogPath | BuiltinCatalog]
) -> bytes:
    """Return the project file with the catalog in ``folder`` before ``catalogs``, the present ones.

    ``content`` is None where there is no file. Raises ``DiagnosticError``: edit-refused.
    """
    catalogs = tuple(catalogs)
    if CatalogPath(folder) in catalogs and content is not None:
        return content
    edited = content or f"apiVersion: {API_VERSION}\nkind: {KIND}\n".encode()
    for catalog in reversed(catalogs):  # those that the project has without listing them
        edited = add_entry(edited, PROJECT_FILE, _FIELD, _entry(catalog), first=True)
    return add_entry(edited, PROJECT_FILE, _FIELD, {"path": folder}, first=True)


def _entry(catalog: CatalogPath | BuiltinCatalog) -> dict[str, Json]:
    return {"path": catalog.path} if isinstance(catalog, CatalogPath) else {"builtin": catalog.name}
