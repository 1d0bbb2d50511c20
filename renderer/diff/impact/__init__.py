"""What a change of a virtual machine does to the one that runs: KubeVirt's virt-controller, by release."""
