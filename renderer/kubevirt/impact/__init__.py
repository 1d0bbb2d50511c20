"""The effect of a change on a running virtual machine: KubeVirt's virt-controller, by release."""
