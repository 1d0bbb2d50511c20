"""``flux`` of an overlay in ``vmrender.yaml``."""

from __future__ import annotations

from renderer.model.fields import Fields
from renderer.model.render_config import FluxSubstitution


def read_flux_settings(overlay: Fields) -> FluxSubstitution | None:
    """None where the overlay has none; notes what is wrong with it."""
    if "flux" not in overlay:
        return None
    fields = overlay.child("flux")
    fields.only("kustomization", "resources", "secrets", "strict")
    kustomization = fields.text("kustomization")
    if not kustomization:
        fields.reject(None, "flux needs a kustomization", "the file of the Flux Kustomization")
    strict = fields.flag("strict")
    return FluxSubstitution(
        kustomization=kustomization or "",
        resources=fields.list_of_texts("resources"),
        secrets=fields.flag("secrets") or False,
        strict=True if strict is None else strict,
    )
