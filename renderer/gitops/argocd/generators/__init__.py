"""The generators of ApplicationSets that need nothing but the Git tree.

argo-cd ``applicationset/generators``.
"""
