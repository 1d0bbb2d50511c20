"""The volumes with data for cloud-init, and their fields.

KubeVirt ``staging/src/kubevirt.io/api/core/v1/schema.go`` (``CloudInitNoCloudSource``,
``CloudInitConfigDriveSource``); the keys of a Secret are in ``pkg/cloud-init/cloud-init.go``
(resolveNoCloudSecrets, readFirstFoundFileFromDir).
"""

from __future__ import annotations

from renderer.model.record import Record

NO_CLOUD, CONFIG_DRIVE = "cloudInitNoCloud", "cloudInitConfigDrive"
CLOUD_INIT_VOLUMES = (NO_CLOUD, CONFIG_DRIVE)


class CloudInitFields(Record):
    """The fields of a volume for one file of cloud-init.

    ``plain`` has the text, ``base64`` the same encoded, ``reference`` the name of a Secret, of whose ``keys``
    KubeVirt reads the first that is there.
    """

    plain: str
    base64: str
    reference: str
    keys: tuple[str, str]


USER_DATA = CloudInitFields("userData", "userDataBase64", "secretRef", ("userdata", "userData"))
NETWORK_DATA = CloudInitFields(
    "networkData", "networkDataBase64", "networkDataSecretRef", ("networkdata", "networkData")
)
CLOUD_INIT_FIELDS = (USER_DATA, NETWORK_DATA)
