"""Process a VirtualMachine that names an instance type and a preference, as KubeVirt does.

``expand.expand`` is the entry point. A VirtualMachine goes through these steps, in virt-api's order; the
right column has KubeVirt's files, relative to ``pkg/instancetype``:

=====================  ======================================================  =========================
``resolve``            checks both matchers (``matcher``) and infers them      ``webhooks/vm/mutator.go``
``infer``              finds a volume's label, by one of twelve ways           ``infer/``
``find``               finds a matcher's object or its revision                ``find/``
``revision``           decodes a ControllerRevision                            ``compatibility/``
``apply_custom_size``  makes a VM's own size the size of its instance type     proposal, in no release
``apply_to_vm``        checks ``spread``, applies, checks ``requirements``     ``webhooks/vm/admitter.go``
``apply/``             applies an instance type, field by field                ``apply/``
``preference/``        applies a preference, field by field                    ``preference/apply/``
``defaults``           defaults the template, for ``expand: defaults``         ``expand/``, ``pkg/defaults``
``added_devices``      writes the disks and the network that KubeVirt adds     ``pkg/defaults``
                       when the preference decides about them
``served_version``     writes v1beta2 objects as v1beta1                       proposal, in no release
``findings``           turns causes into diagnostics, with the files of both
=====================  ======================================================  =========================

After a render, ``stored_vm`` simulates how a cluster stores a VirtualMachine when it is created and updated,
and ``started_instance`` returns the instance that virt-controller creates from it. ``import`` and ``impact``
compare those.

``behaviour`` is the one table of the differences between releases. ``api/`` describes the Go types as data;
objects are decoded by it. ``object_checks`` checks instance types and preferences themselves;
``webhook_fields`` writes the other fields that the mutating webhook sets.

Errors within the stage are ``CauseError`` (one of KubeVirt's causes) and ``ApplyError`` (a spec cannot be
applied).
"""
