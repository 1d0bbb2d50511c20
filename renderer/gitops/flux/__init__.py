"""Flux CD: how source-controller and kustomize-controller process a Kustomization object."""
