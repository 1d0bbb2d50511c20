"""Kubernetes objects: JSON trees, paths and places of fields, identities, and resources.

Nothing here imports ``diagnostic`` or ``run``: equal subtrees are shared (``sharing``) below both.
"""
