"""What KubeVirt does to a VirtualMachine that names an instance type and a preference.

``expand.expand`` is the door. A VirtualMachine goes through these steps, in virt-api's order; on the right is
where KubeVirt has them in ``pkg/instancetype``:

=================  ==========================================================  =========================
``resolve``        both matchers, checked (``matcher``) and inferred           ``webhooks/vm/mutator.go``
``infer``          from a volume to a label, by one of twelve chains           ``infer/``
``find``           from a matcher to an object, or to a ControllerRevision     ``find/``
``revision/``      what that holds (``decode``), and what pins are made of     ``compatibility/``
``custom/``        a size that the VM gives itself becomes the type's          proposal, in no release
``admission``      ``spread``, then applying, then ``requirements``            ``webhooks/vm/admitter.go``
``apply/``         an instance type, one module for each group of fields       ``apply/``
``preference/``    a preference, likewise                                      ``preference/apply/``
``expand_spec``    mode ``defaults``: ``defaults/``, by ``cluster_config``     ``expand/``
``target_form``    what v1beta2 adds is not in what is written                 likewise
``findings``       causes as diagnostics, with the files of both sides
=================  ==========================================================  =========================

Beside the way stand ``behaviour``, the one table of what releases do differently; ``api/``, the Go types as
data, by which objects are decoded; ``object_admission``, whether an instance type or preference itself is
admitted; and ``mutation``, what else the mutating webhook writes.

Within the stage errors are ``CauseError`` (KubeVirt's causes) and ``ApplyError`` (what cannot be applied).
"""
