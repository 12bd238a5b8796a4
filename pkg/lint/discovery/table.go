package discovery

// table lists the resources of Kubernetes 1.29 to 1.37: API group and version, scope, kind,
// plural, short names, subresources, and categories. Of resources with the same
// name, kubectl takes the first if no group is given.
const table = `
core/v1                         namespaced Binding                          bindings - -
core/v1                         cluster    ComponentStatus                  componentstatuses cs -
core/v1                         namespaced ConfigMap                        configmaps cm -
core/v1                         namespaced Endpoints                        endpoints ep -
core/v1                         namespaced Event                            events ev -
core/v1                         namespaced LimitRange                       limitranges limits -
core/v1                         cluster    Namespace                        namespaces ns finalize,status
core/v1                         cluster    Node                             nodes no proxy,status
core/v1                         namespaced PersistentVolumeClaim            persistentvolumeclaims pvc status
core/v1                         cluster    PersistentVolume                 persistentvolumes pv status
core/v1                         namespaced Pod                              pods po attach,binding,ephemeralcontainers,eviction,exec,log,portforward,proxy,resize,status all
core/v1                         namespaced PodTemplate                      podtemplates - -
core/v1                         namespaced ReplicationController            replicationcontrollers rc scale,status all
core/v1                         namespaced ResourceQuota                    resourcequotas quota status
core/v1                         namespaced Secret                           secrets - -
core/v1                         namespaced ServiceAccount                   serviceaccounts sa token
core/v1                         namespaced Service                          services svc proxy,status all
apiregistration.k8s.io/v1       cluster    APIService                       apiservices - status api-extensions
apps/v1                         namespaced ControllerRevision               controllerrevisions - -
apps/v1                         namespaced DaemonSet                        daemonsets ds status all
apps/v1                         namespaced Deployment                       deployments deploy scale,status all
apps/v1                         namespaced ReplicaSet                       replicasets rs scale,status all
apps/v1                         namespaced StatefulSet                      statefulsets sts scale,status all
events.k8s.io/v1                namespaced Event                            events ev -
authentication.k8s.io/v1        cluster    SelfSubjectReview                selfsubjectreviews - -
authentication.k8s.io/v1        cluster    TokenReview                      tokenreviews - -
authorization.k8s.io/v1         namespaced LocalSubjectAccessReview         localsubjectaccessreviews - -
authorization.k8s.io/v1         cluster    SelfSubjectAccessReview          selfsubjectaccessreviews - -
authorization.k8s.io/v1         cluster    SelfSubjectRulesReview           selfsubjectrulesreviews - -
authorization.k8s.io/v1         cluster    SubjectAccessReview              subjectaccessreviews - -
autoscaling/v2                  namespaced HorizontalPodAutoscaler          horizontalpodautoscalers hpa status all
autoscaling/v1                  namespaced HorizontalPodAutoscaler          horizontalpodautoscalers hpa status all
batch/v1                        namespaced CronJob                          cronjobs cj status all
batch/v1                        namespaced Job                              jobs - status all
certificates.k8s.io/v1          cluster    CertificateSigningRequest        certificatesigningrequests csr approval,status
certificates.k8s.io/v1beta1     cluster    ClusterTrustBundle               clustertrustbundles - -
networking.k8s.io/v1            cluster    IngressClass                     ingressclasses - -
networking.k8s.io/v1            namespaced Ingress                          ingresses ing status
networking.k8s.io/v1            cluster    IPAddress                        ipaddresses ip -
networking.k8s.io/v1            namespaced NetworkPolicy                    networkpolicies netpol -
networking.k8s.io/v1            cluster    ServiceCIDR                      servicecidrs - status
policy/v1                       namespaced PodDisruptionBudget              poddisruptionbudgets pdb status
rbac.authorization.k8s.io/v1    cluster    ClusterRoleBinding               clusterrolebindings - -
rbac.authorization.k8s.io/v1    cluster    ClusterRole                      clusterroles - -
rbac.authorization.k8s.io/v1    namespaced RoleBinding                      rolebindings - -
rbac.authorization.k8s.io/v1    namespaced Role                             roles - -
storage.k8s.io/v1               cluster    CSIDriver                        csidrivers - -
storage.k8s.io/v1               cluster    CSINode                          csinodes - -
storage.k8s.io/v1               namespaced CSIStorageCapacity               csistoragecapacities - -
storage.k8s.io/v1               cluster    StorageClass                     storageclasses sc -
storage.k8s.io/v1               cluster    VolumeAttachment                 volumeattachments - status
storage.k8s.io/v1               cluster    VolumeAttributesClass            volumeattributesclasses vac -
admissionregistration.k8s.io/v1 cluster    MutatingAdmissionPolicy          mutatingadmissionpolicies - - api-extensions
admissionregistration.k8s.io/v1 cluster    MutatingAdmissionPolicyBinding   mutatingadmissionpolicybindings - - api-extensions
admissionregistration.k8s.io/v1 cluster    MutatingWebhookConfiguration     mutatingwebhookconfigurations - - api-extensions
admissionregistration.k8s.io/v1 cluster    ValidatingAdmissionPolicy        validatingadmissionpolicies - status api-extensions
admissionregistration.k8s.io/v1 cluster    ValidatingAdmissionPolicyBinding validatingadmissionpolicybindings - - api-extensions
admissionregistration.k8s.io/v1 cluster    ValidatingWebhookConfiguration   validatingwebhookconfigurations - - api-extensions
apiextensions.k8s.io/v1         cluster    CustomResourceDefinition         customresourcedefinitions crd,crds status api-extensions
scheduling.k8s.io/v1            cluster    PriorityClass                    priorityclasses pc -
coordination.k8s.io/v1          namespaced Lease                            leases - -
coordination.k8s.io/v1beta1     namespaced LeaseCandidate                   leasecandidates - -
node.k8s.io/v1                  cluster    RuntimeClass                     runtimeclasses - -
discovery.k8s.io/v1             namespaced EndpointSlice                    endpointslices - -
flowcontrol.apiserver.k8s.io/v1 cluster    FlowSchema                       flowschemas - status
flowcontrol.apiserver.k8s.io/v1 cluster    PriorityLevelConfiguration       prioritylevelconfigurations - status
resource.k8s.io/v1              cluster    DeviceClass                      deviceclasses - -
resource.k8s.io/v1              namespaced ResourceClaim                    resourceclaims - status
resource.k8s.io/v1              namespaced ResourceClaimTemplate            resourceclaimtemplates - -
resource.k8s.io/v1              cluster    ResourceSlice                    resourceslices - -
resource.k8s.io/v1alpha3        cluster    DeviceTaintRule                  devicetaintrules - -
internal.apiserver.k8s.io/v1alpha1 cluster StorageVersion                   storageversions - status
storagemigration.k8s.io/v1alpha1 cluster   StorageVersionMigration          storageversionmigrations - status
metrics.k8s.io/v1beta1          cluster    NodeMetrics                      nodes - -
metrics.k8s.io/v1beta1          namespaced PodMetrics                       pods - -
`
