"""The project: ``vmrender.yaml``, its overlays and entry points."""
