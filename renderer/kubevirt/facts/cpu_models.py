"""The CPU models and CPU features that libvirt knows, and the models that KubeVirt regards as obsolete.

virt-handler labels each node with the models and features that libvirt reports
(``pkg/virt-handler/node-labeller``), and a machine that names one runs only on a node with its label
(``pkg/virt-controller/services/nodeselectorrenderer.go``). The names are in libvirt's
``src/cpu_map/x86_*.xml`` and ``x86_features.xml``; some are newer than the release in KubeVirt's images.
"""

from __future__ import annotations

from collections.abc import Mapping

from renderer.model.pattern import pattern

HOST_MODEL, HOST_PASSTHROUGH = "host-model", "host-passthrough"

_MODELS = """
    486 pentium pentium2 pentium3 pentiumpro coreduo n270 core2duo athlon phenom
    qemu32 kvm32 cpu64-rhel5 cpu64-rhel6 qemu64 kvm64
    Conroe Penryn Nehalem Nehalem-IBRS Westmere Westmere-IBRS
    SandyBridge SandyBridge-IBRS IvyBridge IvyBridge-IBRS
    Haswell Haswell-IBRS Haswell-noTSX Haswell-noTSX-IBRS
    Broadwell Broadwell-IBRS Broadwell-noTSX Broadwell-noTSX-IBRS
    Skylake-Client Skylake-Client-IBRS Skylake-Client-noTSX-IBRS
    Skylake-Server Skylake-Server-IBRS Skylake-Server-noTSX-IBRS
    Cascadelake-Server Cascadelake-Server-noTSX Cooperlake Denverton KnightsMill Snowridge
    Icelake-Client Icelake-Client-noTSX Icelake-Server Icelake-Server-noTSX
    SapphireRapids GraniteRapids DiamondRapids SierraForest ClearwaterForest YongFeng
    Opteron_G1 Opteron_G2 Opteron_G3 Opteron_G4 Opteron_G5
    EPYC EPYC-IBPB EPYC-IBRS EPYC-Rome EPYC-Milan EPYC-Genoa EPYC-Turin Dhyana
"""
CPU_MODELS = frozenset(_MODELS.split())

#: ``DefaultObsoleteCPUModels`` in ``pkg/virt-handler/node-labeller/util/util.go``, for clusters without a
#: list of their own.
_OBSOLETE_MODELS = """
    486 pentium pentium2 pentium3 pentiumpro coreduo n270 core2duo Conroe athlon phenom
    qemu64 qemu32 kvm64 kvm32 Opteron_G1 Opteron_G2
"""
_OBSOLETE = frozenset(_OBSOLETE_MODELS.split())

#: A model with its version, such as ``EPYC-v4``.
_VERSIONED = pattern(r"(.+)-v[0-9]+")

_FEATURES = """
    fpu vme de pse tsc msr pae mce cx8 apic sep mtrr pge mca cmov pat pse36 pn clflush ds acpi mmx fxsr sse
    sse2 ss ht tm ia64 pbe pni pclmuldq dtes64 monitor ds_cpl vmx smx est tm2 ssse3 cid fma cx16 xtpr pdcm
    pcid dca sse4.1 sse4.2 x2apic movbe popcnt tsc-deadline aes xsave osxsave avx f16c rdrand hypervisor
    arat fsgsbase tsc_adjust sgx bmi1 hle avx2 smep bmi2 erms invpcid rtm cmt mpx avx512f avx512dq rdseed adx
    smap avx512ifma pcommit clflushopt clwb intel-pt avx512pf avx512er avx512cd sha-ni avx512bw avx512vl
    avx512vbmi umip pku ospke waitpkg avx512vbmi2 gfni vaes vpclmulqdq avx512vnni avx512bitalg
    avx512-vpopcntdq la57 rdpid bus-lock-detect cldemote movdiri movdir64b sgxlc pks avx512-4vnniw
    avx512-4fmaps fsrm avx512-vp2intersect md-clear serialize tsx-ldtrk pconfig arch-lbr ibt amx-bf16
    avx512-fp16 amx-tile amx-int8 spec-ctrl stibp flush-l1d arch-capabilities core-capability ssbd
    sha512 sm3 sm4 avx-vnni avx512-bf16 cmpccxadd fzrm fsrs fsrc fred lkgs wrmsrns amx-fp16 avx-ifma lam
    movrs avx-vnni-int8 avx-ne-convert amx-complex avx-vnni-int16 prefetchiti avx10 avx10-128 avx10-256
    avx10-512 amx-avx512 amx-fp8 amx-movrs amx-tf32 amx-transpose cet-ss cet-ibt intel-psfd ipred-ctrl
    rrsba-ctrl ddpd-u bhi-ctrl mcdt-no xsaveopt xsavec xgetbv1 xsaves xfd mbm_total mbm_local
    sgx1 sgx2 sgx-edeccssa sgx-exinfo sgx-debug sgx-mode64 sgx-provisionkey sgx-tokenkey sgx-kss
    sgx-aex-notify intel-pt-lip syscall nx mmxext fxsr_opt pdpe1gb rdtscp lm 3dnowext 3dnow lahf_lm
    cmp_legacy svm extapic cr8legacy abm sse4a misalignsse 3dnowprefetch osvw ibs xop skinit wdt lwp fma4 tce
    cvt16 nodeid_msr tbm topoext perfctr_core perfctr_nb invtsc clzero xsaveerptr wbnoinvd ibpb ibrs
    amd-stibp ibrs-all stibp-always-on amd-ssbd virt-ssbd amd-no-ssb amd-psfd btc-no ibpb-ret npt lbrv
    svm-lock nrip-save tsc-scale vmcb-clean flushbyasid decodeassists pause-filter pfthreshold avic
    v-vmsave-vmload vgif vnmi svme-addr-chk x2avic no-nested-data-bp fs-gs-base-ns lfence-always-serializing
    null-sel-clr-base auto-ibrs prefetchi eraps sbpb ibpb-brtype srso-no srso-user-kernel-no perfmon-v2
    overflow-recov succor verw-clear tsa-sq-no tsa-l1-no rdctl-no rsba skip-l1dfl-vmentry ssb-no mds-no
    pschange-mc-no tsx-ctrl taa-no sbdr-ssdp-no fbsdp-no psdp-no fb-clear bhi-no pbrsb-no gds-no rfds-no
    rfds-clear its-no split-lock-detect perfctr-llc mperfmon
"""
CPU_FEATURES = frozenset(_FEATURES.split())

#: The names of features in QEMU and Linux, and libvirt's.
FEATURE_ALIASES: Mapping[str, str] = {
    "sse3": "pni",
    "pclmulqdq": "pclmuldq",
    "ds-cpl": "ds_cpl",
    "sse4-1": "sse4.1",
    "sse4_1": "sse4.1",
    "sse4-2": "sse4.2",
    "sse4_2": "sse4.2",
    "tsc-adjust": "tsc_adjust",
    "cqm": "cmt",
    "md_clear": "md-clear",
    "arch_capabilities": "arch-capabilities",
    "xd": "nx",
    "ffxsr": "fxsr_opt",
    "fxsr-opt": "fxsr_opt",
    "i64": "lm",
    "lahf-lm": "lahf_lm",
    "cmp-legacy": "cmp_legacy",
    "nodeid-msr": "nodeid_msr",
    "perfctr-core": "perfctr_core",
    "perfctr-nb": "perfctr_nb",
    "svm_lock": "svm-lock",
    "nrip_save": "nrip-save",
    "tsc_scale": "tsc-scale",
    "vmcb_clean": "vmcb-clean",
    "pause_filter": "pause-filter",
}


def base_model(model: str) -> str:
    """Return a model without its version: ``EPYC`` of ``EPYC-v4``."""
    versioned = _VERSIONED.fullmatch(model)
    return versioned[1] if versioned else model


def is_known_model(model: str) -> bool:
    """Return True for a CPU model of amd64 that libvirt knows, with or without its version."""
    return model in (HOST_MODEL, HOST_PASSTHROUGH) or base_model(model) in CPU_MODELS


def is_obsolete_model(model: str) -> bool:
    """Return True if virt-handler labels no node with the model, unless the cluster lists other models."""
    return base_model(model) in _OBSOLETE
