"""Go types by release of the HyperConverged operator; ``.ci/go_types.py`` writes this.

A struct, and below it its fields in JSON: name and type; ``always`` if Go writes an empty value too, ``zero``
if it leaves out a struct of zeros; and the releases if not all that have the struct have the field.
"""

TYPES = """\
aaq.AAQCertConfig
  ca *aaq.CertConfig
  server *aaq.CertConfig
aaq.AAQConfiguration
  allowApplicationAwareClusterResourceQuota bool
  sidecarEvaluators []core.Container
  vmiCalculatorConfiguration aaq.VmiCalculatorConfiguration
aaq.AAQSpec
  certConfig *aaq.AAQCertConfig
  configuration aaq.AAQConfiguration
  imagePullPolicy string
  infra sdk.NodePlacement
  namespaceSelector *meta.LabelSelector
  priorityClass *string
  tlsSecurityProfile *aaq.TLSSecurityProfile 1.18-
  workload sdk.NodePlacement
aaq.CertConfig
  duration *Duration
  renewBefore *Duration
aaq.CustomTLSProfile
  ciphers []string always
  minTLSVersion string always
aaq.IntermediateTLSProfile
aaq.ModernTLSProfile
aaq.OldTLSProfile
aaq.TLSSecurityProfile
  custom *aaq.CustomTLSProfile
  intermediate *aaq.IntermediateTLSProfile
  modern *aaq.ModernTLSProfile
  old *aaq.OldTLSProfile
  type string always
aaq.VmiCalculatorConfiguration
  configName string
cdi.CDICertConfig
  ca *cdi.CertConfig
  client *cdi.CertConfig 1.13-
  server *cdi.CertConfig
cdi.CDIConfigSpec
  dataVolumeTTLSeconds *int32
  featureGates []string
  filesystemOverhead *cdi.FilesystemOverhead
  imagePullSecrets []core.LocalObjectReference
  importProxy *cdi.ImportProxy
  insecureRegistries []string
  logVerbosity *int32 1.11-
  podResourceRequirements *core.ResourceRequirements
  preallocation *bool
  scratchSpaceStorageClass *string
  tlsSecurityProfile *openshift.TLSSecurityProfile -1.11
  tlsSecurityProfile *cdi.TLSSecurityProfile 1.12-
  uploadProxyURLOverride *string
  webhookPvcRendering string 1.19-
cdi.CDISpec
  certConfig *cdi.CDICertConfig
  cloneStrategyOverride *string
  config *cdi.CDIConfigSpec
  customizeComponents cdi.CustomizeComponents 1.12-
  imagePullPolicy string
  infra sdk.NodePlacement -1.11
  infra cdi.ComponentConfig 1.12-
  priorityClass *string
  uninstallStrategy *string
  workload sdk.NodePlacement
cdi.CertConfig
  duration *Duration
  renewBefore *Duration
cdi.ComponentConfig
  affinity *core.Affinity
  apiServerReplicas *int32
  deploymentReplicas *int32
  nodeSelector map[]string
  tolerations []core.Toleration
  uploadProxyReplicas *int32
cdi.CustomTLSProfile
  ciphers []string always
  minTLSVersion string always
cdi.CustomizeComponents
  flags *cdi.Flags
  patches []cdi.CustomizeComponentsPatch
cdi.CustomizeComponentsPatch
  patch string always
  resourceName string always
  resourceType string always
  type string always
cdi.DataImportCronSpec
  garbageCollect *string
  importsToKeep *int32
  managedDataSource string always
  retentionPolicy *string
  schedule string always
  serviceAccountName *string 1.17-
  template cdi.DataVolume always
cdi.DataVolume
  apiVersion string
  kind string
  metadata meta.ObjectMeta
  spec cdi.DataVolumeSpec always
  status cdi.DataVolumeStatus
cdi.DataVolumeBlankImage
cdi.DataVolumeCheckpoint
  current string always
  previous string always
cdi.DataVolumeCondition
  lastHeartbeatTime Time
  lastTransitionTime Time
  message string
  reason string
  status string always
  type string always
cdi.DataVolumeSource
  blank *cdi.DataVolumeBlankImage
  gcs *cdi.DataVolumeSourceGCS
  http *cdi.DataVolumeSourceHTTP
  imageio *cdi.DataVolumeSourceImageIO
  pvc *cdi.DataVolumeSourcePVC
  registry *cdi.DataVolumeSourceRegistry
  s3 *cdi.DataVolumeSourceS3
  snapshot *cdi.DataVolumeSourceSnapshot
  upload *cdi.DataVolumeSourceUpload
  vddk *cdi.DataVolumeSourceVDDK
cdi.DataVolumeSourceGCS
  secretRef string
  url string always
cdi.DataVolumeSourceHTTP
  certConfigMap string
  checksum string 1.18-
  extraHeaders []string
  insecureSkipVerify *bool 1.19-
  secretExtraHeaders []string
  secretRef string
  url string always
cdi.DataVolumeSourceImageIO
  certConfigMap string
  diskId string always
  insecureSkipVerify *bool 1.17-
  secretRef string
  url string always
cdi.DataVolumeSourcePVC
  name string always
  namespace string always
cdi.DataVolumeSourceRef
  kind string always
  name string always
  namespace *string
cdi.DataVolumeSourceRegistry
  certConfigMap *string
  imageStream *string
  platform *cdi.PlatformOptions 1.16-
  pullMethod *string
  secretRef *string
  url *string
cdi.DataVolumeSourceS3
  certConfigMap string
  secretRef string
  url string always
cdi.DataVolumeSourceSnapshot
  name string always
  namespace string always
cdi.DataVolumeSourceUpload
cdi.DataVolumeSourceVDDK
  backingFile string
  certConfigMap string 1.19-
  extraArgs string 1.16-
  initImageURL string
  secretRef string
  thumbprint string
  url string
  uuid string
cdi.DataVolumeSpec
  checkpoints []cdi.DataVolumeCheckpoint
  contentType string
  finalCheckpoint bool
  preallocation *bool
  priorityClassName string
  pvc *core.PersistentVolumeClaimSpec
  serviceAccountName string 1.18-
  source *cdi.DataVolumeSource
  sourceRef *cdi.DataVolumeSourceRef
  storage *cdi.StorageSpec
cdi.DataVolumeStatus
  claimName string
  conditions []cdi.DataVolumeCondition
  phase string
  progress string
  restartCount int32
cdi.FilesystemOverhead
  global string
  storageClass map[]string
cdi.Flags
  api map[]string
  controller map[]string
  uploadProxy map[]string
cdi.ImportProxy
  HTTPProxy *string
  HTTPSProxy *string
  noProxy *string
  trustedCAProxy *string
cdi.IntermediateTLSProfile
cdi.ModernTLSProfile
cdi.OldTLSProfile
cdi.PlatformOptions
  architecture string
cdi.StorageSpec
  accessModes []string
  dataSource *core.TypedLocalObjectReference
  dataSourceRef *core.TypedObjectReference
  resources core.ResourceRequirements -1.12
  resources core.VolumeResourceRequirements 1.13-
  selector *meta.LabelSelector
  storageClassName *string
  volumeMode *string
  volumeName string
cdi.TLSSecurityProfile
  custom *cdi.CustomTLSProfile
  intermediate *cdi.IntermediateTLSProfile
  modern *cdi.ModernTLSProfile
  old *cdi.OldTLSProfile
  type string always
core.Affinity
  nodeAffinity *core.NodeAffinity
  podAffinity *core.PodAffinity
  podAntiAffinity *core.PodAntiAffinity
core.AppArmorProfile
  localhostProfile *string
  type string always
core.Capabilities
  add []string
  drop []string
core.ConfigMapEnvSource
  name string
  optional *bool
core.ConfigMapKeySelector
  key string always
  name string
  optional *bool
core.Container
  args []string
  command []string
  env []core.EnvVar
  envFrom []core.EnvFromSource
  image string
  imagePullPolicy string
  lifecycle *core.Lifecycle
  livenessProbe *core.Probe
  name string always
  ports []core.ContainerPort
  readinessProbe *core.Probe
  resizePolicy []core.ContainerResizePolicy
  resources core.ResourceRequirements
  restartPolicy *string
  restartPolicyRules []core.ContainerRestartRule 1.17-
  securityContext *core.SecurityContext
  startupProbe *core.Probe
  stdin bool
  stdinOnce bool
  terminationMessagePath string
  terminationMessagePolicy string
  tty bool
  volumeDevices []core.VolumeDevice
  volumeMounts []core.VolumeMount
  workingDir string
core.ContainerPort
  containerPort int32 always
  hostIP string
  hostPort int32
  name string
  protocol string
core.ContainerResizePolicy
  resourceName string always
  restartPolicy string always
core.ContainerRestartRule
  action string
  exitCodes *core.ContainerRestartRuleOnExitCodes
core.ContainerRestartRuleOnExitCodes
  operator string
  values []int32
core.EnvFromSource
  configMapRef *core.ConfigMapEnvSource
  prefix string
  secretRef *core.SecretEnvSource
core.EnvVar
  name string always
  value string
  valueFrom *core.EnvVarSource
core.EnvVarSource
  configMapKeyRef *core.ConfigMapKeySelector
  fieldRef *core.ObjectFieldSelector
  fileKeyRef *core.FileKeySelector 1.17-
  resourceFieldRef *core.ResourceFieldSelector
  secretKeyRef *core.SecretKeySelector
core.ExecAction
  command []string
core.FileKeySelector
  key string always
  optional *bool
  path string always
  volumeName string always
core.GRPCAction
  port int32 always
  service *string always
core.HTTPGetAction
  host string
  httpHeaders []core.HTTPHeader
  path string
  port IntOrString always
  scheme string
core.HTTPHeader
  name string always
  value string always
core.Lifecycle
  postStart *core.LifecycleHandler
  preStop *core.LifecycleHandler
  stopSignal *string 1.16-
core.LifecycleHandler
  exec *core.ExecAction
  httpGet *core.HTTPGetAction
  sleep *core.SleepAction 1.12-
  tcpSocket *core.TCPSocketAction
core.LocalObjectReference
  name string
core.NodeAffinity
  preferredDuringSchedulingIgnoredDuringExecution []core.PreferredSchedulingTerm
  requiredDuringSchedulingIgnoredDuringExecution *core.NodeSelector
core.NodeSelector
  nodeSelectorTerms []core.NodeSelectorTerm always
core.NodeSelectorRequirement
  key string always
  operator string always
  values []string
core.NodeSelectorTerm
  matchExpressions []core.NodeSelectorRequirement
  matchFields []core.NodeSelectorRequirement
core.ObjectFieldSelector
  apiVersion string
  fieldPath string always
core.PersistentVolumeClaimSpec
  accessModes []string
  dataSource *core.TypedLocalObjectReference
  dataSourceRef *core.TypedObjectReference
  resources core.ResourceRequirements -1.11
  resources core.VolumeResourceRequirements 1.12-
  selector *meta.LabelSelector
  storageClassName *string
  volumeAttributesClassName *string 1.12-
  volumeMode *string
  volumeName string
core.PodAffinity
  preferredDuringSchedulingIgnoredDuringExecution []core.WeightedPodAffinityTerm
  requiredDuringSchedulingIgnoredDuringExecution []core.PodAffinityTerm
core.PodAffinityTerm
  labelSelector *meta.LabelSelector
  matchLabelKeys []string 1.12-
  mismatchLabelKeys []string 1.12-
  namespaceSelector *meta.LabelSelector
  namespaces []string
  topologyKey string always
core.PodAntiAffinity
  preferredDuringSchedulingIgnoredDuringExecution []core.WeightedPodAffinityTerm
  requiredDuringSchedulingIgnoredDuringExecution []core.PodAffinityTerm
core.PreferredSchedulingTerm
  preference core.NodeSelectorTerm always
  weight int32 always
core.Probe
  exec *core.ExecAction
  failureThreshold int32
  grpc *core.GRPCAction
  httpGet *core.HTTPGetAction
  initialDelaySeconds int32
  periodSeconds int32
  successThreshold int32
  tcpSocket *core.TCPSocketAction
  terminationGracePeriodSeconds *int64
  timeoutSeconds int32
core.ResourceClaim
  name string always
  request string 1.13-
core.ResourceFieldSelector
  containerName string
  divisor Quantity
  resource string always
core.ResourceRequirements
  claims []core.ResourceClaim
  limits map[]Quantity
  requests map[]Quantity
core.SELinuxOptions
  level string
  role string
  type string
  user string
core.SeccompProfile
  localhostProfile *string
  type string always
core.SecretEnvSource
  name string
  optional *bool
core.SecretKeySelector
  key string always
  name string
  optional *bool
core.SecurityContext
  allowPrivilegeEscalation *bool
  appArmorProfile *core.AppArmorProfile 1.13-
  capabilities *core.Capabilities
  privileged *bool
  procMount *string
  readOnlyRootFilesystem *bool
  runAsGroup *int64
  runAsNonRoot *bool
  runAsUser *int64
  seLinuxOptions *core.SELinuxOptions
  seccompProfile *core.SeccompProfile
  windowsOptions *core.WindowsSecurityContextOptions
core.SleepAction
  seconds int64 always
core.TCPSocketAction
  host string
  port IntOrString always
core.Toleration
  effect string
  key string
  operator string
  tolerationSeconds *int64
  value string
core.TypedLocalObjectReference
  apiGroup *string always
  kind string always
  name string always
core.TypedObjectReference
  apiGroup *string always
  kind string always
  name string always
  namespace *string
core.VolumeDevice
  devicePath string always
  name string always
core.VolumeMount
  mountPath string always
  mountPropagation *string
  name string always
  readOnly bool
  recursiveReadOnly *string 1.13-
  subPath string
  subPathExpr string
core.VolumeResourceRequirements
  limits map[]Quantity
  requests map[]Quantity
core.WeightedPodAffinityTerm
  podAffinityTerm core.PodAffinityTerm always
  weight int32 always
core.WindowsSecurityContextOptions
  gmsaCredentialSpec *string
  gmsaCredentialSpecName *string
  hostProcess *bool
  runAsUserName *string
hco1.ApplicationAwareConfigurations
  allowApplicationAwareClusterResourceQuota bool
  enable *bool
  namespaceSelector *meta.LabelSelector
  vmiCalcConfigName *string
hco1.CertRotateConfigCA
  duration *Duration
  renewBefore *Duration
hco1.CertRotateConfigServer
  duration *Duration
  renewBefore *Duration
hco1.DataImportCronTemplate
  metadata meta.ObjectMeta
  spec *cdi.DataImportCronSpec
hco1.DeploymentConfig
  applicationAwareConfig *hco1.ApplicationAwareConfigurations
  deployNetworkResourcesInjector *bool 1.19-
  deployVmConsoleProxy *bool
  logVerbosityConfig *hco1.LogVerbosityConfiguration
  nodePlacements *hco1.NodePlacements
  uninstallStrategy string
hco1.HigherWorkloadDensityConfiguration
  memoryOvercommitPercentage int
hco1.HyperConvergedCertConfig
  ca hco1.CertRotateConfigCA
  server hco1.CertRotateConfigServer
hco1.HyperConvergedSpec
  deployment hco1.DeploymentConfig
  featureGates []hcogates.FeatureGate
  networking *hco1.NetworkingConfig
  observability *hco1.ObservabilityConfig 1.19-
  security hco1.SecurityConfig
  storage *hco1.StorageConfig
  virtualization hco1.VirtualizationConfig
  workloadSources hco1.WorkloadSourcesConfig
hco1.HyperConvergedWorkloadUpdateStrategy
  batchEvictionInterval *Duration
  batchEvictionSize *int
  workloadUpdateMethods []string always
hco1.KubeMacPoolConfig
  rangeEnd *string
  rangeStart *string
hco1.LiveMigrationConfigurations
  allowAutoConverge *bool
  allowPostCopy *bool
  allowWorkloadDisruption *bool 1.19-
  bandwidthPerMigration *string
  completionTimeoutPerGiB *int64
  network *string
  parallelMigrationsPerCluster *uint32
  parallelOutboundMigrationsPerNode *uint32
  progressTimeout *int64
hco1.LogVerbosityConfiguration
  cdi *int32
  kubevirt *kubevirt.LogVerbosity
hco1.MediatedDevicesConfiguration
  enabled *bool 1.19-
  mediatedDeviceTypes []string always
  nodeMediatedDeviceTypes []hco1.NodeMediatedDeviceTypesConfig
hco1.MediatedHostDevice
  disabled bool
  externalResourceProvider bool
  mdevNameSelector string always
  resourceName string always
hco1.NetworkingConfig
  kubeMacPoolConfiguration *hco1.KubeMacPoolConfig
  kubeSecondaryDNSNameServerIP *string
  networkBinding map[]kubevirt.InterfaceBindingPlugin
hco1.NodeMediatedDeviceTypesConfig
  mediatedDeviceTypes []string always
  nodeSelector map[]string always
hco1.NodePlacements
  infra *sdk.NodePlacement
  workload *sdk.NodePlacement
hco1.ObservabilityConfig
  allowedAlerts []string
  allowedRecordingRules []string
  workloads *hco1.ObservabilityWorkloadsConfig
hco1.ObservabilityWorkloadsConfig
  allowedMetrics []string
hco1.PciHostDevice
  disabled bool
  externalResourceProvider bool
  pciDeviceSelector string always
  resourceName string always
hco1.PermittedHostDevices
  mediatedDevices []hco1.MediatedHostDevice
  pciHostDevices []hco1.PciHostDevice
  usbHostDevices []hco1.USBHostDevice
hco1.PersistentReservationConfiguration
  enabled *bool
hco1.SecurityConfig
  certConfig hco1.HyperConvergedCertConfig
  tlsSecurityProfile *openshift.TLSSecurityProfile
hco1.StorageConfig
  filesystemOverhead *cdi.FilesystemOverhead
  persistentReservationConfiguration *hco1.PersistentReservationConfiguration 1.19-
  scratchSpaceStorageClass *string
  storageImport *hco1.StorageImportConfig
  vmStateStorageClass *string
  workloadResourceRequirements *core.ResourceRequirements
hco1.StorageImportConfig
  insecureRegistries []string
hco1.USBHostDevice
  disabled bool
  externalResourceProvider bool
  resourceName string always
  selectors []hco1.USBSelector
hco1.USBSelector
  product string always
  vendor string always
hco1.VirtualMachineOptions
  defaultCPUModel *string
  defaultRuntimeClass *string
  disableFreePageReporting *bool
  disableSerialConsoleLog *bool
hco1.VirtualizationConfig
  autoCPULimitNamespaceLabelSelector *meta.LabelSelector
  changedBlockTrackingLabelSelectors *kubevirt.ChangedBlockTrackingSelectors
  evictionStrategy *string
  higherWorkloadDensity *hco1.HigherWorkloadDensityConfiguration
  hypervisors []kubevirt.HypervisorConfiguration
  ksmConfiguration *kubevirt.KSMConfiguration
  liveMigrationConfig hco1.LiveMigrationConfigurations
  liveUpdateConfiguration *kubevirt.LiveUpdateConfiguration
  mediatedDevicesConfiguration *hco1.MediatedDevicesConfiguration
  obsoleteCPUModels []string
  permittedHostDevices *hco1.PermittedHostDevices
  roleAggregationStrategy *string
  tuningPolicy string
  virtualMachineOptions *hco1.VirtualMachineOptions
  vmiCPUAllocationRatio *int
  workloadUpdateStrategy hco1.HyperConvergedWorkloadUpdateStrategy
hco1.WorkloadSourcesConfig
  commonBootImageNamespace *string
  commonInstancetypesDeployment *kubevirt.CommonInstancetypesDeployment
  commonTemplatesNamespace *string
  dataImportCronTemplates []hco1.DataImportCronTemplate
  enableCommonBootImageImport *bool
  enableMultiArchBootImageImport *bool 1.19-
  instancetypeConfig *kubevirt.InstancetypeConfiguration
hco1beta1.ApplicationAwareConfigurations
  allowApplicationAwareClusterResourceQuota bool
  namespaceSelector *meta.LabelSelector
  vmiCalcConfigName *string
hco1beta1.CertRotateConfigCA
  duration *Duration
  renewBefore *Duration
hco1beta1.CertRotateConfigServer
  duration *Duration
  renewBefore *Duration
hco1beta1.DataImportCronTemplate
  metadata meta.ObjectMeta
  spec *cdi.DataImportCronSpec
hco1beta1.HigherWorkloadDensityConfiguration
  memoryOvercommitPercentage int
hco1beta1.HyperConvergedCertConfig
  ca hco1beta1.CertRotateConfigCA
  server hco1beta1.CertRotateConfigServer
hco1beta1.HyperConvergedConfig
  nodePlacement *sdk.NodePlacement
hco1beta1.HyperConvergedFeatureGates
  alignCPUs *bool 1.11-
  autoResourceLimits *bool 1.11-
  containerPathVolumes *bool 1.18-
  decentralizedLiveMigration *bool 1.16-
  declarativeHotplugVolumes *bool 1.16-
  deployKubeSecondaryDNS *bool
  deployKubevirtIpamController *bool 1.13-
  deployTektonTaskResources *bool
  deployVmConsoleProxy *bool
  disableMDevConfiguration *bool
  downwardMetrics *bool 1.11-
  enableApplicationAwareQuota *bool 1.11-
  enableCommonBootImageImport *bool
  enableManagedTenantQuota *bool
  enableMultiArchBootImageImport *bool 1.16-
  incrementalBackup *bool 1.18-
  nonRoot *bool
  objectGraph *bool 1.17-
  persistentReservation *bool
  primaryUserDefinedNetworkBinding *bool 1.13-
  videoConfig *bool 1.17-
  withHostPassthroughCPU *bool
hco1beta1.HyperConvergedObsoleteCPUs
  cpuModels []string
  minCPUModel string
hco1beta1.HyperConvergedSpec
  CommonInstancetypesDeployment *kubevirt.CommonInstancetypesDeployment 1.14-
  applicationAwareConfig *hco1beta1.ApplicationAwareConfigurations 1.11-
  certConfig hco1beta1.HyperConvergedCertConfig -1.17
  certConfig hco1.HyperConvergedCertConfig 1.18-
  changedBlockTrackingLabelSelectors *kubevirt.ChangedBlockTrackingSelectors 1.18-
  commonBootImageNamespace *string 1.11-
  commonTemplatesNamespace *string
  dataImportCronTemplates []hco1beta1.DataImportCronTemplate -1.17
  dataImportCronTemplates []hco1.DataImportCronTemplate 1.18-
  defaultCPUModel *string
  defaultRuntimeClass *string
  deployVmConsoleProxy *bool 1.15-
  enableApplicationAwareQuota *bool 1.15-
  enableCommonBootImageImport *bool 1.15-
  evictionStrategy *string
  featureGates hco1beta1.HyperConvergedFeatureGates
  filesystemOverhead *cdi.FilesystemOverhead
  higherWorkloadDensity *hco1beta1.HigherWorkloadDensityConfiguration 1.12-1.17
  higherWorkloadDensity *hco1.HigherWorkloadDensityConfiguration 1.18-
  hypervisors []kubevirt.HypervisorConfiguration 1.18-
  infra hco1beta1.HyperConvergedConfig
  instancetypeConfig *kubevirt.InstancetypeConfiguration 1.15-
  ksmConfiguration *kubevirt.KSMConfiguration 1.11-
  kubeMacPoolConfiguration *hco1beta1.KubeMacPoolConfig 1.17-1.17
  kubeMacPoolConfiguration *hco1.KubeMacPoolConfig 1.18-
  kubeSecondaryDNSNameServerIP *string
  liveMigrationConfig hco1beta1.LiveMigrationConfigurations -1.17
  liveMigrationConfig hco1.LiveMigrationConfigurations 1.18-
  liveUpdateConfiguration *kubevirt.LiveUpdateConfiguration 1.16-
  localStorageClassName string
  logVerbosityConfig *hco1beta1.LogVerbosityConfiguration -1.17
  logVerbosityConfig *hco1.LogVerbosityConfiguration 1.18-
  mediatedDevicesConfiguration *hco1beta1.MediatedDevicesConfiguration
  networkBinding map[]kubevirt.InterfaceBindingPlugin 1.11-
  obsoleteCPUs *hco1beta1.HyperConvergedObsoleteCPUs
  permittedHostDevices *hco1beta1.PermittedHostDevices -1.17
  permittedHostDevices *hco1.PermittedHostDevices 1.18-
  resourceRequirements *hco1beta1.OperandResourceRequirements
  roleAggregationStrategy *string 1.18-
  scratchSpaceStorageClass *string
  storageImport *hco1beta1.StorageImportConfig -1.17
  storageImport *hco1.StorageImportConfig 1.18-
  tektonPipelinesNamespace *string
  tektonTasksNamespace *string
  tlsSecurityProfile *openshift.TLSSecurityProfile
  tuningPolicy string
  uninstallStrategy string
  vddkInitImage *string
  virtualMachineOptions *hco1beta1.VirtualMachineOptions
  vmStateStorageClass *string
  workloadUpdateStrategy hco1beta1.HyperConvergedWorkloadUpdateStrategy -1.17
  workloadUpdateStrategy hco1.HyperConvergedWorkloadUpdateStrategy 1.18-
  workloads hco1beta1.HyperConvergedConfig
hco1beta1.HyperConvergedWorkloadUpdateStrategy
  batchEvictionInterval *Duration
  batchEvictionSize *int
  workloadUpdateMethods []string always
hco1beta1.KubeMacPoolConfig
  rangeEnd *string
  rangeStart *string
hco1beta1.LiveMigrationConfigurations
  allowAutoConverge *bool
  allowPostCopy *bool
  bandwidthPerMigration *string
  completionTimeoutPerGiB *int64
  network *string
  parallelMigrationsPerCluster *uint32
  parallelOutboundMigrationsPerNode *uint32
  progressTimeout *int64
hco1beta1.LogVerbosityConfiguration
  cdi *int32 1.11-1.17
  kubevirt *kubevirt.LogVerbosity
hco1beta1.MediatedDevicesConfiguration
  mediatedDeviceTypes []string always
  mediatedDevicesTypes []string
  nodeMediatedDeviceTypes []hco1beta1.NodeMediatedDeviceTypesConfig
hco1beta1.MediatedHostDevice
  disabled bool
  externalResourceProvider bool
  mdevNameSelector string always
  resourceName string always
hco1beta1.NodeMediatedDeviceTypesConfig
  mediatedDeviceTypes []string always
  mediatedDevicesTypes []string always
  nodeSelector map[]string always
hco1beta1.OperandResourceRequirements
  autoCPULimitNamespaceLabelSelector *meta.LabelSelector
  storageWorkloads *core.ResourceRequirements
  vmiCPUAllocationRatio *int
hco1beta1.PciHostDevice
  disabled bool
  externalResourceProvider bool
  pciDeviceSelector string always
  resourceName string always
hco1beta1.PermittedHostDevices
  mediatedDevices []hco1beta1.MediatedHostDevice
  pciHostDevices []hco1beta1.PciHostDevice
  usbHostDevices []hco1beta1.USBHostDevice 1.13-1.17
hco1beta1.StorageImportConfig
  insecureRegistries []string
hco1beta1.USBHostDevice
  disabled bool
  externalResourceProvider bool
  resourceName string always
  selectors []hco1beta1.USBSelector
hco1beta1.USBSelector
  product string always
  vendor string always
hco1beta1.VirtualMachineOptions
  disableFreePageReporting bool -1.10
  disableFreePageReporting *bool 1.11-
  disableSerialConsoleLog *bool 1.11-
hcogates.FeatureGate
  name string always
  state *string
kubevirt.ArchConfiguration
  amd64 *kubevirt.ArchSpecificConfiguration
  arm64 *kubevirt.ArchSpecificConfiguration
  defaultArchitecture string
  ppc64le *kubevirt.ArchSpecificConfiguration
  s390x *kubevirt.ArchSpecificConfiguration 1.17-
kubevirt.ArchSpecificConfiguration
  emulatedMachines []string
  machineType string
  ovmfPath string
kubevirt.CertConfig
  duration *Duration
  renewBefore *Duration
kubevirt.ChangedBlockTrackingSelectors
  namespaceLabelSelector *meta.LabelSelector
  virtualMachineLabelSelector *meta.LabelSelector
kubevirt.CommonInstancetypesDeployment
  enabled *bool
kubevirt.ComponentConfig
  nodePlacement *kubevirt.NodePlacement
  replicas *uint8
kubevirt.ConfidentialComputeConfiguration
  tdx *kubevirt.TDXConfiguration
kubevirt.CustomProfile
  localhostProfile *string
  runtimeDefaultProfile bool
kubevirt.CustomizeComponents
  flags *kubevirt.Flags
  patches []kubevirt.CustomizeComponentsPatch
kubevirt.CustomizeComponentsPatch
  patch string always
  resourceName string always
  resourceType string always
  type string always
kubevirt.DeveloperConfiguration
  clusterProfiler bool 1.16-
  cpuAllocationRatio int
  disabledFeatureGates []string 1.18-
  diskVerification *kubevirt.DiskVerification
  featureGates []string
  logVerbosity *kubevirt.LogVerbosity
  memoryOvercommit int
  minimumClusterTSCFrequency *int64
  minimumReservePVCBytes uint64
  nodeSelectors map[]string
  pvcTolerateLessSpaceUpToPercent int
  useEmulation bool
kubevirt.DisableFreePageReporting
kubevirt.DisableSerialConsoleLog
kubevirt.DiskVerification
  memoryLimit *Quantity always
kubevirt.Flags
  api map[]string
  controller map[]string
  handler map[]string
kubevirt.HypervisorConfiguration
  name string
kubevirt.InstancetypeConfiguration
  referencePolicy *string
kubevirt.InterfaceBindingMigration
  method string
kubevirt.InterfaceBindingPlugin
  computeResourceOverhead *core.ResourceRequirements 1.13-1.13
  computeResourceOverhead *kubevirt.ResourceRequirementsWithoutClaims 1.14-
  domainAttachmentType string
  downwardAPI string 1.13-
  migration *kubevirt.InterfaceBindingMigration
  networkAttachmentDefinition string
  sidecarImage string
kubevirt.KSMConfiguration
  nodeLabelSelector *meta.LabelSelector
kubevirt.KubeVirtCertificateRotateStrategy
  selfSigned *kubevirt.KubeVirtSelfSignConfiguration
kubevirt.KubeVirtConfiguration
  additionalGuestMemoryOverheadRatio *string
  apiConfiguration *kubevirt.ReloadableComponentConfiguration
  architectureConfiguration *kubevirt.ArchConfiguration
  autoCPULimitNamespaceLabelSelector *meta.LabelSelector
  changedBlockTrackingLabelSelectors *kubevirt.ChangedBlockTrackingSelectors 1.17-
  commonInstancetypesDeployment *kubevirt.CommonInstancetypesDeployment 1.14-
  confidentialCompute *kubevirt.ConfidentialComputeConfiguration 1.19-
  controllerConfiguration *kubevirt.ReloadableComponentConfiguration
  cpuModel string
  cpuRequest *Quantity
  defaultRuntimeClass string
  developerConfiguration *kubevirt.DeveloperConfiguration
  emulatedMachines []string
  evictionStrategy *string
  handlerConfiguration *kubevirt.ReloadableComponentConfiguration
  hypervisors []kubevirt.HypervisorConfiguration 1.18-
  imagePullPolicy string
  instancetype *kubevirt.InstancetypeConfiguration 1.14-
  ksmConfiguration *kubevirt.KSMConfiguration
  liveUpdateConfiguration *kubevirt.LiveUpdateConfiguration
  machineType string
  mediatedDevicesConfiguration *kubevirt.MediatedDevicesConfiguration
  memBalloonStatsPeriod *uint32
  migrations *kubevirt.MigrationConfiguration
  minCPUModel string
  network *kubevirt.NetworkConfiguration
  obsoleteCPUModels map[]bool
  ovmfPath string
  permittedHostDevices *kubevirt.PermittedHostDevices
  persistentReservationConfiguration *kubevirt.PersistentReservationConfiguration 1.19-
  roleAggregationStrategy *string 1.18-
  seccompConfiguration *kubevirt.SeccompConfiguration
  selinuxLauncherType string
  smbios *kubevirt.SMBiosConfiguration
  supportContainerResources []kubevirt.SupportContainerResources
  supportedGuestAgentVersions []string
  tlsConfiguration *kubevirt.TLSConfiguration
  virtTemplateDeployment *kubevirt.VirtTemplateDeployment 1.18-
  virtualMachineInstancesPerNode *int
  virtualMachineOptions *kubevirt.VirtualMachineOptions
  vmRolloutStrategy *string 1.11-
  vmStateStorageClass string
  webhookConfiguration *kubevirt.ReloadableComponentConfiguration
kubevirt.KubeVirtSelfSignConfiguration
  ca *kubevirt.CertConfig
  caOverlapInterval *Duration
  caRotateInterval *Duration
  certRotateInterval *Duration
  server *kubevirt.CertConfig
kubevirt.KubeVirtSpec
  certificateRotateStrategy kubevirt.KubeVirtCertificateRotateStrategy
  configuration kubevirt.KubeVirtConfiguration
  customizeComponents kubevirt.CustomizeComponents
  imagePullPolicy string
  imagePullSecrets []core.LocalObjectReference
  imageRegistry string
  imageTag string
  infra *kubevirt.ComponentConfig
  monitorAccount string
  monitorNamespace string
  productComponent string
  productName string
  productVersion string
  serviceMonitorNamespace string
  synchronizationPort string 1.16-
  uninstallStrategy string
  workloadUpdateStrategy kubevirt.KubeVirtWorkloadUpdateStrategy
  workloads *kubevirt.ComponentConfig
kubevirt.KubeVirtWorkloadUpdateStrategy
  batchEvictionInterval *Duration
  batchEvictionSize *int
  workloadUpdateMethods []string
kubevirt.LiveUpdateConfiguration
  maxCpuSockets *uint32
  maxGuest *Quantity 1.11-
  maxHotplugRatio uint32 1.11-
kubevirt.LogVerbosity
  nodeVerbosity map[]uint
  virtAPI uint
  virtController uint
  virtHandler uint
  virtLauncher uint
  virtOperator uint
  virtSynchronizationController uint 1.16-
kubevirt.MediatedDevicesConfiguration
  enabled *bool 1.18-
  mediatedDeviceTypes []string
  mediatedDevicesTypes []string
  nodeMediatedDeviceTypes []kubevirt.NodeMediatedDeviceTypesConfig
kubevirt.MediatedHostDevice
  externalResourceProvider bool
  mdevNameSelector string always
  resourceName string always
kubevirt.MigrationConfiguration
  allowAutoConverge *bool
  allowPostCopy *bool
  allowWorkloadDisruption *bool 1.15-
  bandwidthPerMigration *Quantity
  completionTimeoutPerGiB *int64
  disableTLS *bool
  matchSELinuxLevelOnMigration *bool
  maxDowntimeMs *uint64 1.19-
  network *string
  nodeDrainTaintKey *string
  parallelMigrationsPerCluster *uint32
  parallelOutboundMigrationsPerNode *uint32
  progressTimeout *int64
  unsafeMigrationOverride *bool
  utilityVolumesTimeout *int64 1.18-
kubevirt.NetworkConfiguration
  binding map[]kubevirt.InterfaceBindingPlugin 1.11-
  defaultNetworkInterface string
  permitBridgeInterfaceOnPodNetwork *bool
  permitSlirpInterface *bool
kubevirt.NodeMediatedDeviceTypesConfig
  mediatedDeviceTypes []string always
  mediatedDevicesTypes []string
  nodeSelector map[]string always
kubevirt.NodePlacement
  affinity *core.Affinity
  nodeSelector map[]string
  tolerations []core.Toleration
kubevirt.PciHostDevice
  externalResourceProvider bool
  pciVendorSelector string always
  resourceName string always
kubevirt.PermittedHostDevices
  mediatedDevices []kubevirt.MediatedHostDevice
  pciHostDevices []kubevirt.PciHostDevice
  usb []kubevirt.USBHostDevice 1.11-
kubevirt.PersistentReservationConfiguration
  enabled *bool
kubevirt.RESTClientConfiguration
  rateLimiter *kubevirt.RateLimiter
kubevirt.RateLimiter
  tokenBucketRateLimiter *kubevirt.TokenBucketRateLimiter
kubevirt.ReloadableComponentConfiguration
  restClient *kubevirt.RESTClientConfiguration
kubevirt.ResourceRequirementsWithoutClaims
  limits map[]Quantity
  requests map[]Quantity
kubevirt.SMBiosConfiguration
  family string
  manufacturer string
  product string
  sku string
  version string
kubevirt.SeccompConfiguration
  virtualMachineInstanceProfile *kubevirt.VirtualMachineInstanceProfile
kubevirt.SupportContainerResources
  resources core.ResourceRequirements always -1.13
  resources kubevirt.ResourceRequirementsWithoutClaims always 1.14-
  type string always
kubevirt.TDXAttestationConfiguration
  enforced *bool
  qgsSocketPath *string
kubevirt.TDXConfiguration
  attestation *kubevirt.TDXAttestationConfiguration
kubevirt.TLSConfiguration
  ciphers []string
  minTLSVersion string
kubevirt.TokenBucketRateLimiter
  burst int always
  qps float always
kubevirt.USBHostDevice
  externalResourceProvider bool
  resourceName string always
  selectors []kubevirt.USBSelector
kubevirt.USBSelector
  product string always
  vendor string always
kubevirt.VirtTemplateDeployment
  enabled *bool
kubevirt.VirtualMachineInstanceProfile
  customProfile *kubevirt.CustomProfile
kubevirt.VirtualMachineOptions
  disableFreePageReporting *kubevirt.DisableFreePageReporting
  disableSerialConsoleLog *kubevirt.DisableSerialConsoleLog 1.11-
meta.LabelSelector
  matchExpressions []meta.LabelSelectorRequirement
  matchLabels map[]string
meta.LabelSelectorRequirement
  key string always
  operator string always
  values []string
meta.ManagedFieldsEntry
  apiVersion string
  fieldsType string
  fieldsV1 *any
  manager string
  operation string
  subresource string
  time *Time
meta.ObjectMeta
  annotations map[]string
  creationTimestamp Time -1.16
  creationTimestamp Time zero 1.17-
  deletionGracePeriodSeconds *int64
  deletionTimestamp *Time
  finalizers []string
  generateName string
  generation int64
  labels map[]string
  managedFields []meta.ManagedFieldsEntry
  name string
  namespace string
  ownerReferences []meta.OwnerReference
  resourceVersion string
  selfLink string
  uid string
meta.OwnerReference
  apiVersion string always
  blockOwnerDeletion *bool
  controller *bool
  kind string always
  name string always
  uid string always
network.KubeMacPool
  rangeEnd string
  rangeStart string
network.KubeSecondaryDNS
  domain string
  nameServerIP string
network.KubevirtIpamController
  defaultNetworkNADNamespace string 1.16-
network.LinuxBridge
network.MacvtapCni
  devicePluginConfig string
network.Multus
network.MultusDynamicNetworks
  hostCRISocketPath string 1.18-
network.NMState
network.NetworkAddonsConfigSpec
  imagePullPolicy string
  kubeMacPool *network.KubeMacPool
  kubeSecondaryDNS *network.KubeSecondaryDNS
  kubevirtIpamController *network.KubevirtIpamController 1.13-
  linuxBridge *network.LinuxBridge
  macvtap *network.MacvtapCni
  multus *network.Multus
  multusDynamicNetworks *network.MultusDynamicNetworks
  nmstate *network.NMState
  ovs *network.Ovs
  placementConfiguration *network.PlacementConfiguration
  selfSignConfiguration *network.SelfSignConfiguration
  tlsSecurityProfile *openshift.TLSSecurityProfile
network.Ovs
network.Placement
  affinity core.Affinity
  nodeSelector map[]string
  tolerations []core.Toleration
network.PlacementConfiguration
  infra *network.Placement
  workloads *network.Placement
network.SelfSignConfiguration
  caOverlapInterval string
  caRotateInterval string
  certOverlapInterval string
  certRotateInterval string
openshift.CustomTLSProfile
  ciphers []string always
  minTLSVersion string always
openshift.IntermediateTLSProfile
openshift.ModernTLSProfile
openshift.OldTLSProfile
openshift.TLSSecurityProfile
  custom *openshift.CustomTLSProfile
  intermediate *openshift.IntermediateTLSProfile
  modern *openshift.ModernTLSProfile
  old *openshift.OldTLSProfile
  type string always
sdk.NodePlacement
  affinity *core.Affinity
  nodeSelector map[]string
  tolerations []core.Toleration
ssp.Cluster
  controlPlaneArchitectures []string
  workloadArchitectures []string
ssp.CommonInstancetypes
  url *string
ssp.CommonTemplates
  dataImportCronTemplates []ssp.DataImportCronTemplate
  namespace string always
ssp.DataImportCronTemplate
  metadata meta.ObjectMeta
  spec cdi.DataImportCronSpec always
ssp.FeatureGates
  deployCommonInstancetypes *bool 1.11-1.15
  deployTektonTaskResources bool
  deployVmConsoleProxy bool
ssp.SSPSpec
  cluster *ssp.Cluster 1.16-
  commonInstancetypes *ssp.CommonInstancetypes -1.15
  commonTemplates ssp.CommonTemplates always
  enableMultipleArchitectures *bool 1.16-
  featureGates *ssp.FeatureGates -1.15
  tektonPipelines *ssp.TektonPipelines -1.15
  tektonTasks *ssp.TektonTasks -1.15
  templateValidator *ssp.TemplateValidator
  tlsSecurityProfile *openshift.TLSSecurityProfile
  tokenGenerationService *ssp.TokenGenerationService 1.14-
ssp.TektonPipelines
  namespace string
ssp.TektonTasks
  namespace string
ssp.TemplateValidator
  placement *sdk.NodePlacement
  replicas *int32
ssp.TokenGenerationService
  enabled bool
"""
