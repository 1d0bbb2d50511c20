"""Argo CD: what its repo-server and ApplicationSet controller make of Applications and ApplicationSets."""
