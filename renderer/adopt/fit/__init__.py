"""Find the instance type and the preference that make a VirtualMachine what it is.

``fit`` is the door: expansion backwards. ``instancetype_fields`` and ``preference_fields`` tell which fields
of an expanded VirtualMachine an object would set again, by applying it; ``candidates`` indexes a catalog by
that, ``choice`` orders what fits equally well, and every answer is expanded and admitted before it is given.
``nearest`` looks for the least difference where nothing fits.
``series`` proposes an ``InstancetypeSeries`` for sizes that no catalog has; ``grouping`` makes a base and
patches of manifests that have much in common.
"""
