"""The data that a guest reads at its first start: where KubeVirt gets it, and how the guest reads it.

``sources`` finds the data of a machine, wherever it is written. ``user_data`` divides user data into parts as
cloud-init does, ``cloud_config`` knows its keys, and ``credentials`` what of it is a password or a key.
"""
