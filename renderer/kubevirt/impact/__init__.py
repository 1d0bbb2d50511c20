"""The effect of a change on a virtual machine that runs: KubeVirt's virt-controller, by release."""
