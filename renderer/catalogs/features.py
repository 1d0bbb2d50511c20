"""What an instance type or preference sets beside its size, in a word each."""

from __future__ import annotations

from renderer.model.json import Json, JsonObject, object_at, text_at


def instancetype_features(spec: JsonObject) -> tuple[str, ...]:
    cpu, memory = object_at(spec, "cpu"), object_at(spec, "memory")
    words = (
        _valued("hugepages", text_at(memory, "hugepages", "pageSize")),
        _valued("overcommit", memory.get("overcommitPercent"), "%"),
        "dedicated" if cpu.get("dedicatedCPUPlacement") is True else "",
        "isolated" if cpu.get("isolateEmulatorThread") is True else "",
        "numa" if object_at(cpu, "numa") else "",
        "realtime" if cpu.get("realtime") is not None else "",
        _valued("model", cpu.get("model")),
        _valued("gpus", _length(spec.get("gpus"))),
        _valued("devices", _length(spec.get("hostDevices"))),
        _valued("io-threads", spec.get("ioThreadsPolicy")),
        "launch-security" if spec.get("launchSecurity") is not None else "",
    )
    return tuple(filter(None, words))


def preference_features(spec: JsonObject) -> tuple[str, ...]:
    firmware, devices = object_at(spec, "firmware"), object_at(spec, "devices")
    efi = firmware.get("preferredEfi")
    topology = object_at(spec, "cpu").get("preferredCPUTopology")
    words = (
        text_at(spec, "requirements", "architecture") or text_at(spec, "preferredArchitecture"),
        _valued("topology", topology),
        "efi" if efi is not None or firmware.get("preferredUseEfi") is True else "",
        "secure-boot" if object_at(efi).get("secureBoot") is True else "",
        "tpm" if devices.get("preferredTPM") is not None else "",
        _valued("disk", devices.get("preferredDiskBus")),
        _valued("nic", devices.get("preferredInterfaceModel")),
    )
    return tuple(filter(None, words))


def _valued(name: str, value: Json, unit: str = "") -> str:
    return f"{name}={value}{unit}" if value else ""


def _length(value: Json) -> int:
    return len(value) if isinstance(value, list) else 0
