"""Sizes that a VirtualMachine gives itself: ``domain.cpu.guest``, and memory where its type leaves it open.

No release of KubeVirt knows them; the rules are those of KubeVirt's customisation proposal. What a
VirtualMachine gives is put where an instance type would have it, so that all that follows is what KubeVirt
does with an instance type of that size.
"""
