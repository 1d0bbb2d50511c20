"""Flux CD: what source-controller and kustomize-controller make of a Kustomization object."""
