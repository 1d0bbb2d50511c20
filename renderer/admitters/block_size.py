"""A disk's block size (``validateBlockSize``)."""

from __future__ import annotations

from renderer.admitters.cause import Causes, invalid
from renderer.admitters.disk import Disk
from renderer.admitters.vmi_spec import has, number, section, unless_disabled
from renderer.model.field_path import FieldPath

_SMALLEST, _LARGEST = 512, 2 * 1024 * 1024


def check_block_size(disk: Disk) -> Causes:
    behaviour = disk.cluster.behaviour
    block_size = section(disk.content, "blockSize")
    if not has(block_size, "custom"):
        return
    if unless_disabled(block_size, "matchVolume"):
        yield invalid(disk.at("blockSize"), "the block size is both custom and that of the volume")
        return
    custom = section(block_size, "custom")
    logical, physical = number(custom, "logical"), number(custom, "physical")
    granularity = custom.get("discardGranularity")
    if logical > physical:
        yield invalid(
            _at(disk, "logical"), f"logical blocks of {logical} bytes are larger than physical ones"
        )
    elif behaviour.checks_block_granularity and disk.bus == "sata" and logical != _SMALLEST:
        message = f"on the bus sata logical blocks have {_SMALLEST} bytes, not {logical}"
        yield invalid(_at(disk, "logical"), message)
    elif (
        behaviour.checks_block_granularity
        and isinstance(granularity, int)
        and logical
        and granularity % logical
    ):
        message = f"discardGranularity {granularity} is not a multiple of the logical block size {logical}"
        yield invalid(_at(disk, "discardGranularity"), message)
    else:
        yield from _check_size(disk, "logical", logical)
        yield from _check_size(disk, "physical", physical)


def _check_size(disk: Disk, key: str, size: int) -> Causes:
    if size < _SMALLEST or size > _LARGEST:
        yield invalid(_at(disk, key), f"a block has from {_SMALLEST} to {_LARGEST} bytes, not {size}")
    elif size & (size - 1):
        yield invalid(_at(disk, key), f"a block size is a power of 2, which {size} is not")


def _at(disk: Disk, key: str) -> FieldPath:
    return disk.at("blockSize", "custom", key)
