"""Argo CD: how its repo-server and ApplicationSet controller read Applications and ApplicationSets."""
