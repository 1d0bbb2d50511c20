"""Provenance: the steps that made the fields of rendered resources.

``trace`` is told of every change while an overlay is rendered, and so knows a resource's versions: what it
was after each of them, and what made it so (``composing``, ``expanding`` …). ``histories`` walks a field
back through the versions; where a value was taken from another resource, through that one's as well.
"""
