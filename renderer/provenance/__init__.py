"""Provenance: the steps that produced the fields of rendered resources.

``trace`` observes every change while an overlay is rendered, and so knows a resource's versions: its content
after each change, and the step that made it (``makers``, ``expansion_steps``). ``histories`` follows a field
back through the versions, and through the versions of another resource if the value was copied from it.
"""
