"""VirtualMachineTemplates: what kubevirt/virt-template makes of them, and which ones its webhook refuses.

``template`` reads one, ``processing`` makes the machine, ``admission`` is the schema and the webhook,
``request`` is what a VirtualMachineTemplateRequest makes.
"""
