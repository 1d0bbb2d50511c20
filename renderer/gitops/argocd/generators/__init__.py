"""The generators of ApplicationSets that need only the Git tree.

argo-cd ``applicationset/generators``.
"""
