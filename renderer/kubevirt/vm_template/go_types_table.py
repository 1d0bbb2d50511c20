"""Go types by release of KubeVirt's API; ``.ci/go_types.py`` writes this.

A struct, and below it its fields in JSON: name and type; ``always`` if Go writes an empty value too, ``zero``
if it leaves out a struct of zeros; and the releases if not all that have the struct have the field.

A line with ``=`` is another type: its name and what it is. Fields are in the order of the struct.
"""

TYPES = """\
cdi.DataVolumeContentType = string
cdi.RegistryPullMethod = string
core.ConditionStatus = string
core.DNSPolicy = string
core.NodeInclusionPolicy = string
core.NodeSelectorOperator = string
core.PersistentVolumeAccessMode = string
core.PersistentVolumeMode = string
core.PullPolicy = string
core.ResourceList = map[]Quantity
core.TaintEffect = string
core.TolerationOperator = string
core.URIScheme = string
core.UnsatisfiableConstraintAction = string
kubevirt.ChangedBlockTrackingState = string
kubevirt.ClockOffsetTimezone = string
kubevirt.DiskBus = string
kubevirt.DiskErrorPolicy = string
kubevirt.DriverCache = string
kubevirt.DriverIO = string
kubevirt.EvictionStrategy = string
kubevirt.HPETTickPolicy = string
kubevirt.HostDiskType = string
kubevirt.IOThreadsPolicy = string
kubevirt.InferFromVolumeFailurePolicy = string
kubevirt.InputBus = string
kubevirt.InputType = string
kubevirt.InterfaceState = string
kubevirt.MemLockRequirement = string
kubevirt.MemoryDumpPhase = string
kubevirt.PITTickPolicy = string
kubevirt.PanicDeviceModel = string
kubevirt.Percent = string
kubevirt.RTCTickPolicy = string
kubevirt.RTCTimerTrack = string
kubevirt.RebootPolicy = string
kubevirt.StartStrategy = string
kubevirt.StateChangeRequestAction = string
kubevirt.TrayState = string
kubevirt.UpdateVolumesStrategy = string
kubevirt.UtilityVolumeType = string
kubevirt.VirtualMachineConditionType = string
kubevirt.VirtualMachinePrintableStatus = string
kubevirt.VirtualMachineRunStrategy = string
kubevirt.WatchdogAction = string
meta.LabelSelectorOperator = string
meta.ManagedFieldsOperationType = string
backup.BackupVolumeInfo
  volumeName string always
  diskTarget string always
  dataEndpoint string
  mapEndpoint string
cdi.DataVolumeBlankImage
cdi.DataVolumeCheckpoint
  previous string always
  current string always
cdi.DataVolumeSource
  http *cdi.DataVolumeSourceHTTP
  s3 *cdi.DataVolumeSourceS3
  gcs *cdi.DataVolumeSourceGCS
  registry *cdi.DataVolumeSourceRegistry
  pvc *cdi.DataVolumeSourcePVC
  upload *cdi.DataVolumeSourceUpload
  blank *cdi.DataVolumeBlankImage
  imageio *cdi.DataVolumeSourceImageIO
  vddk *cdi.DataVolumeSourceVDDK
  snapshot *cdi.DataVolumeSourceSnapshot
cdi.DataVolumeSourceGCS
  url string always
  secretRef string
cdi.DataVolumeSourceHTTP
  url string always
  secretRef string
  certConfigMap string
  extraHeaders []string
  secretExtraHeaders []string
cdi.DataVolumeSourceImageIO
  url string always
  diskId string always
  secretRef string
  certConfigMap string
  insecureSkipVerify *bool
cdi.DataVolumeSourcePVC
  namespace string always
  name string always
cdi.DataVolumeSourceRef
  kind string always
  namespace *string
  name string always
cdi.DataVolumeSourceRegistry
  url *string
  imageStream *string
  pullMethod *cdi.RegistryPullMethod
  secretRef *string
  certConfigMap *string
  platform *cdi.PlatformOptions
cdi.DataVolumeSourceS3
  url string always
  secretRef string
  certConfigMap string
cdi.DataVolumeSourceSnapshot
  namespace string always
  name string always
cdi.DataVolumeSourceUpload
cdi.DataVolumeSourceVDDK
  url string
  uuid string
  backingFile string
  thumbprint string
  secretRef string
  initImageURL string
  extraArgs string
cdi.DataVolumeSpec
  source *cdi.DataVolumeSource
  sourceRef *cdi.DataVolumeSourceRef
  pvc *core.PersistentVolumeClaimSpec
  storage *cdi.StorageSpec
  priorityClassName string
  contentType cdi.DataVolumeContentType
  checkpoints []cdi.DataVolumeCheckpoint
  finalCheckpoint bool
  preallocation *bool
cdi.PlatformOptions
  architecture string
cdi.StorageSpec
  accessModes []core.PersistentVolumeAccessMode
  selector *meta.LabelSelector
  resources core.VolumeResourceRequirements
  volumeName string
  storageClassName *string
  volumeMode *core.PersistentVolumeMode
  dataSource *core.TypedLocalObjectReference
  dataSourceRef *core.TypedObjectReference
core.Affinity
  nodeAffinity *core.NodeAffinity
  podAffinity *core.PodAffinity
  podAntiAffinity *core.PodAntiAffinity
core.DownwardAPIVolumeFile
  path string always
  fieldRef *core.ObjectFieldSelector
  resourceFieldRef *core.ResourceFieldSelector
  mode *int32
core.ExecAction
  command []string
core.HTTPGetAction
  path string
  port IntOrString always
  host string
  scheme core.URIScheme
  httpHeaders []core.HTTPHeader
core.HTTPHeader
  name string always
  value string always
core.LocalObjectReference
  name string
core.NodeAffinity
  requiredDuringSchedulingIgnoredDuringExecution *core.NodeSelector
  preferredDuringSchedulingIgnoredDuringExecution []core.PreferredSchedulingTerm
core.NodeSelector
  nodeSelectorTerms []core.NodeSelectorTerm always
core.NodeSelectorRequirement
  key string always
  operator core.NodeSelectorOperator always
  values []string
core.NodeSelectorTerm
  matchExpressions []core.NodeSelectorRequirement
  matchFields []core.NodeSelectorRequirement
core.ObjectFieldSelector
  apiVersion string
  fieldPath string always
core.PersistentVolumeClaimSpec
  accessModes []core.PersistentVolumeAccessMode
  selector *meta.LabelSelector
  resources core.VolumeResourceRequirements
  volumeName string
  storageClassName *string
  volumeMode *core.PersistentVolumeMode
  dataSource *core.TypedLocalObjectReference
  dataSourceRef *core.TypedObjectReference
  volumeAttributesClassName *string
core.PersistentVolumeClaimVolumeSource
  claimName string always
  readOnly bool
core.PodAffinity
  requiredDuringSchedulingIgnoredDuringExecution []core.PodAffinityTerm
  preferredDuringSchedulingIgnoredDuringExecution []core.WeightedPodAffinityTerm
core.PodAffinityTerm
  labelSelector *meta.LabelSelector
  namespaces []string
  topologyKey string always
  namespaceSelector *meta.LabelSelector
  matchLabelKeys []string
  mismatchLabelKeys []string
core.PodAntiAffinity
  requiredDuringSchedulingIgnoredDuringExecution []core.PodAffinityTerm
  preferredDuringSchedulingIgnoredDuringExecution []core.WeightedPodAffinityTerm
core.PodDNSConfig
  nameservers []string
  searches []string
  options []core.PodDNSConfigOption
core.PodDNSConfigOption
  name string
  value *string
core.PodResourceClaim
  name string always
  resourceClaimName *string
  resourceClaimTemplateName *string
core.PreferredSchedulingTerm
  weight int32 always
  preference core.NodeSelectorTerm always
core.ResourceFieldSelector
  containerName string
  resource string always
  divisor Quantity
core.TCPSocketAction
  port IntOrString always
  host string
core.Toleration
  key string
  operator core.TolerationOperator
  value string
  effect core.TaintEffect
  tolerationSeconds *int64
core.TopologySpreadConstraint
  maxSkew int32 always
  topologyKey string always
  whenUnsatisfiable core.UnsatisfiableConstraintAction always
  labelSelector *meta.LabelSelector
  minDomains *int32
  nodeAffinityPolicy *core.NodeInclusionPolicy
  nodeTaintsPolicy *core.NodeInclusionPolicy
  matchLabelKeys []string
core.TypedLocalObjectReference
  apiGroup *string always
  kind string always
  name string always
core.TypedObjectReference
  apiGroup *string always
  kind string always
  name string always
  namespace *string
core.VolumeResourceRequirements
  limits core.ResourceList
  requests core.ResourceList
core.WeightedPodAffinityTerm
  weight int32 always
  podAffinityTerm core.PodAffinityTerm always
kubevirt.ACPI
  slicNameRef string
  msdmNameRef string
kubevirt.AccessCredential
  sshPublicKey *kubevirt.SSHPublicKeyAccessCredential
  userPassword *kubevirt.UserPasswordAccessCredential
kubevirt.AccessCredentialSecretSource
  secretName string always
kubevirt.AddVolumeOptions
  name string always
  disk *kubevirt.Disk always
  volumeSource *kubevirt.HotplugVolumeSource always
  dryRun []string
kubevirt.BIOS
  useSerial *bool
kubevirt.BlockSize
  custom *kubevirt.CustomBlockSize
  matchVolume *kubevirt.FeatureState
kubevirt.Bootloader
  bios *kubevirt.BIOS
  efi *kubevirt.EFI
kubevirt.CDRomTarget
  bus kubevirt.DiskBus
  readonly *bool
  tray kubevirt.TrayState
kubevirt.CPU
  cores uint32
  sockets uint32
  maxSockets uint32
  threads uint32
  model string
  features []kubevirt.CPUFeature
  dedicatedCpuPlacement bool
  numa *kubevirt.NUMA
  isolateEmulatorThread bool
  realtime *kubevirt.Realtime
kubevirt.CPUFeature
  name string always
  policy string
kubevirt.ChangedBlockTrackingStatus
  state kubevirt.ChangedBlockTrackingState always
  backupStatus *kubevirt.VirtualMachineInstanceBackupStatus 1.8-
kubevirt.Chassis
  manufacturer string
  version string
  serial string
  asset string
  sku string
kubevirt.ClientPassthroughDevices
kubevirt.Clock
  utc *kubevirt.ClockOffsetUTC
  timezone *kubevirt.ClockOffsetTimezone
  timer *kubevirt.Timer
kubevirt.ClockOffsetUTC
  offsetSeconds *int
kubevirt.CloudInitConfigDriveSource
  secretRef *core.LocalObjectReference
  userDataBase64 string
  userData string
  networkDataSecretRef *core.LocalObjectReference
  networkDataBase64 string
  networkData string
kubevirt.CloudInitNoCloudSource
  secretRef *core.LocalObjectReference
  userDataBase64 string
  userData string
  networkDataSecretRef *core.LocalObjectReference
  networkDataBase64 string
  networkData string
kubevirt.ConfigDriveSSHPublicKeyAccessCredentialPropagation
kubevirt.ConfigMapVolumeSource
  name string
  optional *bool
  volumeLabel string
kubevirt.ContainerDiskSource
  image string always
  imagePullSecret string
  path string
  imagePullPolicy core.PullPolicy
kubevirt.ContainerPathVolumeSource
  path string always
  readOnly *bool
kubevirt.ControllerRevisionRef
  name string
kubevirt.CustomBlockSize
  logical uint
  physical uint
  discardGranularity *uint
kubevirt.DHCPOptions
  bootFileName string
  tftpServerName string
  ntpServers []string
  privateOptions []kubevirt.DHCPPrivateOptions
kubevirt.DHCPPrivateOptions
  option int always
  value string always
kubevirt.DataVolumeSource
  name string always
  hotpluggable bool
kubevirt.DataVolumeTemplateDummyStatus
kubevirt.DataVolumeTemplateSpec
  kind string
  apiVersion string
  metadata meta.ObjectMeta
  spec cdi.DataVolumeSpec always
  status *kubevirt.DataVolumeTemplateDummyStatus
kubevirt.DeprecatedInterfaceMacvtap
kubevirt.DeprecatedInterfacePasst
kubevirt.DeprecatedInterfaceSlirp
kubevirt.Devices
  useVirtioTransitional *bool
  disableHotplug bool
  disks []kubevirt.Disk
  watchdog *kubevirt.Watchdog
  interfaces []kubevirt.Interface
  inputs []kubevirt.Input
  autoattachPodInterface *bool
  autoattachGraphicsDevice *bool
  autoattachSerialConsole *bool
  logSerialConsole *bool
  autoattachMemBalloon *bool
  autoattachInputDevice *bool
  autoattachVSOCK *bool
  rng *kubevirt.Rng
  blockMultiQueue *bool
  networkInterfaceMultiqueue *bool
  gpus []kubevirt.GPU
  downwardMetrics *kubevirt.DownwardMetrics
  panicDevices []kubevirt.PanicDevice
  filesystems []kubevirt.Filesystem
  hostDevices []kubevirt.HostDevice
  clientPassthrough *kubevirt.ClientPassthroughDevices
  sound *kubevirt.SoundDevice
  tpm *kubevirt.TPMDevice
  video *kubevirt.VideoDevice
kubevirt.Diag288Watchdog
  action kubevirt.WatchdogAction
kubevirt.Disk
  name string always
  disk *kubevirt.DiskTarget
  lun *kubevirt.LunTarget
  cdrom *kubevirt.CDRomTarget
  bootOrder *uint
  serial string
  dedicatedIOThread *bool
  cache kubevirt.DriverCache
  io kubevirt.DriverIO
  tag string
  blockSize *kubevirt.BlockSize
  shareable *bool
  errorPolicy *kubevirt.DiskErrorPolicy
  changedBlockTracking *bool
kubevirt.DiskIOThreads
  supplementalPoolThreadCount *uint32
kubevirt.DiskTarget
  bus kubevirt.DiskBus
  readonly bool
  pciAddress string
kubevirt.DomainSpec
  resources kubevirt.ResourceRequirements
  cpu *kubevirt.CPU
  memory *kubevirt.Memory
  machine *kubevirt.Machine
  firmware *kubevirt.Firmware
  clock *kubevirt.Clock
  features *kubevirt.Features
  devices kubevirt.Devices always
  ioThreadsPolicy *kubevirt.IOThreadsPolicy
  ioThreads *kubevirt.DiskIOThreads
  chassis *kubevirt.Chassis
  launchSecurity *kubevirt.LaunchSecurity
  rebootPolicy *kubevirt.RebootPolicy 1.8-
kubevirt.DownwardAPIVolumeSource
  fields []core.DownwardAPIVolumeFile
  volumeLabel string
kubevirt.DownwardMetrics
kubevirt.DownwardMetricsVolumeSource
kubevirt.EFI
  secureBoot *bool
  persistent *bool
kubevirt.EmptyDiskSource
  capacity Quantity always
kubevirt.EphemeralVolumeSource
  persistentVolumeClaim *core.PersistentVolumeClaimVolumeSource
kubevirt.FeatureAPIC
  enabled *bool
  endOfInterrupt bool
kubevirt.FeatureHyperv
  relaxed *kubevirt.FeatureState
  vapic *kubevirt.FeatureState
  spinlocks *kubevirt.FeatureSpinlocks
  vpindex *kubevirt.FeatureState
  runtime *kubevirt.FeatureState
  synic *kubevirt.FeatureState
  synictimer *kubevirt.SyNICTimer
  reset *kubevirt.FeatureState
  vendorid *kubevirt.FeatureVendorID
  frequencies *kubevirt.FeatureState
  reenlightenment *kubevirt.FeatureState
  tlbflush *kubevirt.TLBFlush 1.8-
  ipi *kubevirt.FeatureState
  evmcs *kubevirt.FeatureState
  tlbflush *kubevirt.FeatureState -1.7
kubevirt.FeatureKVM
  hidden bool
kubevirt.FeatureSpinlocks
  enabled *bool
  spinlocks *uint32
kubevirt.FeatureState
  enabled *bool
kubevirt.FeatureVendorID
  enabled *bool
  vendorid string
kubevirt.Features
  acpi kubevirt.FeatureState
  apic *kubevirt.FeatureAPIC
  hypervPassthrough *kubevirt.HyperVPassthrough
  hyperv *kubevirt.FeatureHyperv
  smm *kubevirt.FeatureState
  kvm *kubevirt.FeatureKVM
  pvspinlock *kubevirt.FeatureState
kubevirt.Filesystem
  name string always
  virtiofs *kubevirt.FilesystemVirtiofs always
kubevirt.FilesystemVirtiofs
kubevirt.Firmware
  uuid string
  bootloader *kubevirt.Bootloader
  serial string
  kernelBoot *kubevirt.KernelBoot
  acpi *kubevirt.ACPI
kubevirt.GPU
  name string always
  deviceName string
  claimName *string
  requestName *string
  virtualGPUOptions *kubevirt.VGPUOptions
  tag string
kubevirt.GuestAgentPing
kubevirt.HPETTimer
  tickPolicy kubevirt.HPETTickPolicy
  present *bool
kubevirt.HostDevice
  name string always
  deviceName string
  claimName *string
  requestName *string
  tag string
kubevirt.HostDisk
  path string always
  type kubevirt.HostDiskType always
  capacity Quantity
  shared *bool
kubevirt.HotplugVolumeSource
  persistentVolumeClaim *kubevirt.PersistentVolumeClaimVolumeSource
  dataVolume *kubevirt.DataVolumeSource
kubevirt.Hugepages
  pageSize string
kubevirt.HyperVPassthrough
  enabled *bool
kubevirt.HypervTimer
  present *bool
kubevirt.I6300ESBWatchdog
  action kubevirt.WatchdogAction
kubevirt.Input
  bus kubevirt.InputBus
  type kubevirt.InputType always
  name string always
kubevirt.InstancetypeMatcher
  name string
  kind string
  revisionName string
  inferFromVolume string
  inferFromVolumeFailurePolicy *kubevirt.InferFromVolumeFailurePolicy
kubevirt.InstancetypeStatusRef
  name string
  kind string
  controllerRevisionRef *kubevirt.ControllerRevisionRef
  inferFromVolume string
  inferFromVolumeFailurePolicy *kubevirt.InferFromVolumeFailurePolicy
kubevirt.Interface
  name string always
  model string
  bridge *kubevirt.InterfaceBridge
  slirp *kubevirt.DeprecatedInterfaceSlirp
  masquerade *kubevirt.InterfaceMasquerade
  sriov *kubevirt.InterfaceSRIOV
  macvtap *kubevirt.DeprecatedInterfaceMacvtap
  passt *kubevirt.DeprecatedInterfacePasst
  passtBinding *kubevirt.InterfacePasstBinding 1.8-
  binding *kubevirt.PluginBinding
  ports []kubevirt.Port
  macAddress string
  bootOrder *uint
  pciAddress string
  dhcpOptions *kubevirt.DHCPOptions
  tag string
  acpiIndex int
  state kubevirt.InterfaceState
kubevirt.InterfaceBridge
kubevirt.InterfaceMasquerade
kubevirt.InterfacePasstBinding
kubevirt.InterfaceSRIOV
kubevirt.KVMTimer
  present *bool
kubevirt.KernelBoot
  kernelArgs string
  container *kubevirt.KernelBootContainer
kubevirt.KernelBootContainer
  image string always
  imagePullSecret string
  imagePullPolicy core.PullPolicy
  kernelPath string
  initrdPath string
kubevirt.LaunchSecurity
  sev *kubevirt.SEV
  snp *kubevirt.SEVSNP
  tdx *kubevirt.TDX
kubevirt.LunTarget
  bus kubevirt.DiskBus
  readonly bool
  reservation bool
kubevirt.Machine
  type string always
kubevirt.Memory
  hugepages *kubevirt.Hugepages
  guest *Quantity
  maxGuest *Quantity
  reservedOverhead *kubevirt.ReservedOverhead 1.8-
kubevirt.MemoryDumpVolumeSource
  claimName string always
  readOnly bool
  hotpluggable bool
kubevirt.MultusNetwork
  networkName string always
  default bool
kubevirt.NUMA
  guestMappingPassthrough *kubevirt.NUMAGuestMappingPassthrough
kubevirt.NUMAGuestMappingPassthrough
kubevirt.Network
  name string always
  pod *kubevirt.PodNetwork
  multus *kubevirt.MultusNetwork
kubevirt.NoCloudSSHPublicKeyAccessCredentialPropagation
kubevirt.PITTimer
  tickPolicy kubevirt.PITTickPolicy
  present *bool
kubevirt.PanicDevice
  model *kubevirt.PanicDeviceModel
kubevirt.PersistentVolumeClaimInfo
  claimName string
  accessModes []core.PersistentVolumeAccessMode
  volumeMode *core.PersistentVolumeMode
  capacity core.ResourceList
  requests core.ResourceList
  preallocated bool
  filesystemOverhead *kubevirt.Percent
kubevirt.PersistentVolumeClaimVolumeSource
  claimName string always
  readOnly bool
  hotpluggable bool
kubevirt.PluginBinding
  name string always
kubevirt.PodNetwork
  vmNetworkCIDR string
  vmIPv6NetworkCIDR string
kubevirt.Port
  name string
  protocol string
  port int32 always
kubevirt.PreferenceMatcher
  name string
  kind string
  revisionName string
  inferFromVolume string
  inferFromVolumeFailurePolicy *kubevirt.InferFromVolumeFailurePolicy
kubevirt.Probe
  exec *core.ExecAction
  guestAgentPing *kubevirt.GuestAgentPing
  httpGet *core.HTTPGetAction
  tcpSocket *core.TCPSocketAction
  initialDelaySeconds int32
  timeoutSeconds int32
  periodSeconds int32
  successThreshold int32
  failureThreshold int32
kubevirt.QemuGuestAgentSSHPublicKeyAccessCredentialPropagation
  users []string always
kubevirt.QemuGuestAgentUserPasswordAccessCredentialPropagation
kubevirt.RTCTimer
  tickPolicy kubevirt.RTCTickPolicy
  present *bool
  track kubevirt.RTCTimerTrack
kubevirt.Realtime
  mask string
kubevirt.RemoveVolumeOptions
  name string always
  dryRun []string
kubevirt.ReservedOverhead
  addedOverhead *Quantity
  memLock *kubevirt.MemLockRequirement
kubevirt.ResourceRequirements
  requests core.ResourceList
  limits core.ResourceList
  overcommitGuestOverhead bool
kubevirt.Rng
kubevirt.SEV
  policy *kubevirt.SEVPolicy
  attestation *kubevirt.SEVAttestation
  session string
  dhCert string
kubevirt.SEVAttestation
kubevirt.SEVPolicy
  encryptedState *bool
kubevirt.SEVSNP
kubevirt.SSHPublicKeyAccessCredential
  source kubevirt.SSHPublicKeyAccessCredentialSource always
  propagationMethod kubevirt.SSHPublicKeyAccessCredentialPropagationMethod always
kubevirt.SSHPublicKeyAccessCredentialPropagationMethod
  configDrive *kubevirt.ConfigDriveSSHPublicKeyAccessCredentialPropagation
  noCloud *kubevirt.NoCloudSSHPublicKeyAccessCredentialPropagation
  qemuGuestAgent *kubevirt.QemuGuestAgentSSHPublicKeyAccessCredentialPropagation
kubevirt.SSHPublicKeyAccessCredentialSource
  secret *kubevirt.AccessCredentialSecretSource
kubevirt.SecretVolumeSource
  secretName string
  optional *bool
  volumeLabel string
kubevirt.ServiceAccountVolumeSource
  serviceAccountName string
kubevirt.SoundDevice
  name string always
  model string
kubevirt.StorageMigratedVolumeInfo
  volumeName string always
  sourcePVCInfo *kubevirt.PersistentVolumeClaimInfo
  destinationPVCInfo *kubevirt.PersistentVolumeClaimInfo
kubevirt.SyNICTimer
  enabled *bool
  direct *kubevirt.FeatureState
kubevirt.SysprepSource
  secret *core.LocalObjectReference
  configMap *core.LocalObjectReference
kubevirt.TDX
kubevirt.TLBFlush
  enabled *bool
  direct *kubevirt.FeatureState
  extended *kubevirt.FeatureState
kubevirt.TPMDevice
  enabled *bool
  persistent *bool
kubevirt.Timer
  hpet *kubevirt.HPETTimer
  kvm *kubevirt.KVMTimer
  pit *kubevirt.PITTimer
  rtc *kubevirt.RTCTimer
  hyperv *kubevirt.HypervTimer
kubevirt.UserPasswordAccessCredential
  source kubevirt.UserPasswordAccessCredentialSource always
  propagationMethod kubevirt.UserPasswordAccessCredentialPropagationMethod always
kubevirt.UserPasswordAccessCredentialPropagationMethod
  qemuGuestAgent *kubevirt.QemuGuestAgentUserPasswordAccessCredentialPropagation
kubevirt.UserPasswordAccessCredentialSource
  secret *kubevirt.AccessCredentialSecretSource
kubevirt.UtilityVolume
  name string always
  claimName string always
  readOnly bool
  type *kubevirt.UtilityVolumeType
kubevirt.VGPUDisplayOptions
  enabled *bool
  ramFB *kubevirt.FeatureState
kubevirt.VGPUOptions
  display *kubevirt.VGPUDisplayOptions
kubevirt.VideoDevice
  type string
kubevirt.VirtualMachine
  kind string
  apiVersion string
  metadata meta.ObjectMeta
  spec kubevirt.VirtualMachineSpec always
  status kubevirt.VirtualMachineStatus
kubevirt.VirtualMachineCondition
  type kubevirt.VirtualMachineConditionType always
  status core.ConditionStatus always
  lastProbeTime Time
  lastTransitionTime Time
  reason string
  message string
kubevirt.VirtualMachineInstanceBackupStatus
  backupName string
  startTimestamp *Time
  endTimestamp *Time
  completed bool
  failed bool
  backupMsg *string
  checkpointName *string
  volumes []backup.BackupVolumeInfo
kubevirt.VirtualMachineInstanceSpec
  priorityClassName string
  domain kubevirt.DomainSpec always
  nodeSelector map[]string
  affinity *core.Affinity
  schedulerName string
  tolerations []core.Toleration
  topologySpreadConstraints []core.TopologySpreadConstraint
  evictionStrategy *kubevirt.EvictionStrategy
  startStrategy *kubevirt.StartStrategy
  terminationGracePeriodSeconds *int64
  volumes []kubevirt.Volume
  livenessProbe *kubevirt.Probe
  readinessProbe *kubevirt.Probe
  hostname string
  subdomain string
  networks []kubevirt.Network
  dnsPolicy core.DNSPolicy
  dnsConfig *core.PodDNSConfig
  accessCredentials []kubevirt.AccessCredential
  architecture string
  resourceClaims []core.PodResourceClaim
  utilityVolumes []kubevirt.UtilityVolume 1.8-
kubevirt.VirtualMachineInstanceTemplateSpec
  metadata meta.ObjectMeta
  spec kubevirt.VirtualMachineInstanceSpec
kubevirt.VirtualMachineMemoryDumpRequest
  claimName string always
  phase kubevirt.MemoryDumpPhase always
  remove bool
  startTimestamp *Time
  endTimestamp *Time
  fileName *string
  message string
kubevirt.VirtualMachineSpec
  running *bool
  runStrategy *kubevirt.VirtualMachineRunStrategy
  instancetype *kubevirt.InstancetypeMatcher
  preference *kubevirt.PreferenceMatcher
  template *kubevirt.VirtualMachineInstanceTemplateSpec always
  dataVolumeTemplates []kubevirt.DataVolumeTemplateSpec
  updateVolumesStrategy *kubevirt.UpdateVolumesStrategy
kubevirt.VirtualMachineStartFailure
  consecutiveFailCount int
  lastFailedVMIUID string
  retryAfterTimestamp *Time
kubevirt.VirtualMachineStateChangeRequest
  action kubevirt.StateChangeRequestAction always
  data map[]string
  uid *string
kubevirt.VirtualMachineStatus
  snapshotInProgress *string
  restoreInProgress *string
  created bool
  ready bool
  printableStatus kubevirt.VirtualMachinePrintableStatus
  conditions []kubevirt.VirtualMachineCondition
  stateChangeRequests []kubevirt.VirtualMachineStateChangeRequest
  volumeRequests []kubevirt.VirtualMachineVolumeRequest
  volumeSnapshotStatuses []kubevirt.VolumeSnapshotStatus
  startFailure *kubevirt.VirtualMachineStartFailure
  memoryDumpRequest *kubevirt.VirtualMachineMemoryDumpRequest
  observedGeneration int64
  desiredGeneration int64
  runStrategy kubevirt.VirtualMachineRunStrategy
  volumeUpdateState *kubevirt.VolumeUpdateState
  changedBlockTracking *kubevirt.ChangedBlockTrackingStatus
  instancetypeRef *kubevirt.InstancetypeStatusRef
  preferenceRef *kubevirt.InstancetypeStatusRef
kubevirt.VirtualMachineVolumeRequest
  addVolumeOptions *kubevirt.AddVolumeOptions
  removeVolumeOptions *kubevirt.RemoveVolumeOptions
kubevirt.Volume
  name string always
  hostDisk *kubevirt.HostDisk
  persistentVolumeClaim *kubevirt.PersistentVolumeClaimVolumeSource
  cloudInitNoCloud *kubevirt.CloudInitNoCloudSource
  cloudInitConfigDrive *kubevirt.CloudInitConfigDriveSource
  sysprep *kubevirt.SysprepSource
  containerDisk *kubevirt.ContainerDiskSource
  ephemeral *kubevirt.EphemeralVolumeSource
  emptyDisk *kubevirt.EmptyDiskSource
  dataVolume *kubevirt.DataVolumeSource
  configMap *kubevirt.ConfigMapVolumeSource
  secret *kubevirt.SecretVolumeSource
  downwardAPI *kubevirt.DownwardAPIVolumeSource
  serviceAccount *kubevirt.ServiceAccountVolumeSource
  downwardMetrics *kubevirt.DownwardMetricsVolumeSource
  memoryDump *kubevirt.MemoryDumpVolumeSource
  containerPath *kubevirt.ContainerPathVolumeSource 1.8-
kubevirt.VolumeMigrationState
  migratedVolumes []kubevirt.StorageMigratedVolumeInfo
kubevirt.VolumeSnapshotStatus
  name string always
  enabled bool always
  reason string
kubevirt.VolumeUpdateState
  volumeMigrationState *kubevirt.VolumeMigrationState
kubevirt.Watchdog
  name string always
  i6300esb *kubevirt.I6300ESBWatchdog
  diag288 *kubevirt.Diag288Watchdog
meta.LabelSelector
  matchLabels map[]string
  matchExpressions []meta.LabelSelectorRequirement
meta.LabelSelectorRequirement
  key string always
  operator meta.LabelSelectorOperator always
  values []string
meta.ManagedFieldsEntry
  manager string
  operation meta.ManagedFieldsOperationType
  apiVersion string
  time *Time
  fieldsType string
  fieldsV1 *any
  subresource string
meta.ObjectMeta
  name string
  generateName string
  namespace string
  selfLink string
  uid string
  resourceVersion string
  generation int64
  creationTimestamp Time zero 1.8-
  deletionTimestamp *Time
  deletionGracePeriodSeconds *int64
  labels map[]string
  annotations map[]string
  ownerReferences []meta.OwnerReference
  finalizers []string
  managedFields []meta.ManagedFieldsEntry
  creationTimestamp Time -1.7
meta.OwnerReference
  apiVersion string always
  kind string always
  name string always
  uid string always
  controller *bool
  blockOwnerDeletion *bool
"""
