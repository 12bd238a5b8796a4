package explain

// wellKnown lists the resources of Kubernetes 1.29 to 1.37: group and version, scope,
// plural, singular and short names. Of resources with the same name, the first is
// meant if no group is given.
const wellKnown = `
core/v1                              namespaced  pods pod po
core/v1                              namespaced  services service svc
core/v1                              namespaced  configmaps configmap cm
core/v1                              namespaced  secrets secret
core/v1                              namespaced  serviceaccounts serviceaccount sa
core/v1                              namespaced  endpoints endpoint ep
core/v1                              namespaced  events event ev
core/v1                              namespaced  limitranges limitrange limits
core/v1                              namespaced  persistentvolumeclaims persistentvolumeclaim pvc
core/v1                              namespaced  podtemplates podtemplate
core/v1                              namespaced  replicationcontrollers replicationcontroller rc
core/v1                              namespaced  resourcequotas resourcequota quota
core/v1                              namespaced  bindings binding
core/v1                              cluster     namespaces namespace ns
core/v1                              cluster     nodes node no
core/v1                              cluster     persistentvolumes persistentvolume pv
core/v1                              cluster     componentstatuses componentstatus cs
apps/v1                              namespaced  deployments deployment deploy
apps/v1                              namespaced  replicasets replicaset rs
apps/v1                              namespaced  statefulsets statefulset sts
apps/v1                              namespaced  daemonsets daemonset ds
apps/v1                              namespaced  controllerrevisions controllerrevision
batch/v1                             namespaced  jobs job
batch/v1                             namespaced  cronjobs cronjob cj
autoscaling/v2                       namespaced  horizontalpodautoscalers horizontalpodautoscaler hpa
policy/v1                            namespaced  poddisruptionbudgets poddisruptionbudget pdb
networking.k8s.io/v1                 namespaced  ingresses ingress ing
networking.k8s.io/v1                 namespaced  networkpolicies networkpolicy netpol
networking.k8s.io/v1                 cluster     ingressclasses ingressclass
networking.k8s.io/v1                 cluster     ipaddresses ipaddress ip
networking.k8s.io/v1                 cluster     servicecidrs servicecidr
discovery.k8s.io/v1                  namespaced  endpointslices endpointslice
coordination.k8s.io/v1               namespaced  leases lease
events.k8s.io/v1                     namespaced  events event ev
rbac.authorization.k8s.io/v1         namespaced  roles role
rbac.authorization.k8s.io/v1         namespaced  rolebindings rolebinding
rbac.authorization.k8s.io/v1         cluster     clusterroles clusterrole
rbac.authorization.k8s.io/v1         cluster     clusterrolebindings clusterrolebinding
flowcontrol.apiserver.k8s.io/v1      cluster     flowschemas flowschema
flowcontrol.apiserver.k8s.io/v1      cluster     prioritylevelconfigurations prioritylevelconfiguration
storage.k8s.io/v1                    cluster     storageclasses storageclass sc
storage.k8s.io/v1                    cluster     volumeattachments volumeattachment
storage.k8s.io/v1                    cluster     volumeattributesclasses volumeattributesclass vac
storage.k8s.io/v1                    cluster     csidrivers csidriver
storage.k8s.io/v1                    cluster     csinodes csinode
storage.k8s.io/v1                    namespaced  csistoragecapacities csistoragecapacity
scheduling.k8s.io/v1                 cluster     priorityclasses priorityclass pc
node.k8s.io/v1                       cluster     runtimeclasses runtimeclass
resource.k8s.io/v1                   namespaced  resourceclaims resourceclaim
resource.k8s.io/v1                   namespaced  resourceclaimtemplates resourceclaimtemplate
resource.k8s.io/v1                   cluster     resourceslices resourceslice
resource.k8s.io/v1                   cluster     deviceclasses deviceclass
apiextensions.k8s.io/v1              cluster     customresourcedefinitions customresourcedefinition crd crds
apiregistration.k8s.io/v1            cluster     apiservices apiservice
admissionregistration.k8s.io/v1      cluster     mutatingwebhookconfigurations mutatingwebhookconfiguration
admissionregistration.k8s.io/v1      cluster     validatingwebhookconfigurations validatingwebhookconfiguration
admissionregistration.k8s.io/v1      cluster     validatingadmissionpolicies validatingadmissionpolicy
admissionregistration.k8s.io/v1      cluster     validatingadmissionpolicybindings validatingadmissionpolicybinding
certificates.k8s.io/v1               cluster     certificatesigningrequests certificatesigningrequest csr
authentication.k8s.io/v1             cluster     tokenreviews tokenreview
authentication.k8s.io/v1             cluster     selfsubjectreviews selfsubjectreview
authorization.k8s.io/v1              cluster     subjectaccessreviews subjectaccessreview
authorization.k8s.io/v1              cluster     selfsubjectaccessreviews selfsubjectaccessreview
authorization.k8s.io/v1              cluster     selfsubjectrulesreviews selfsubjectrulesreview
authorization.k8s.io/v1              namespaced  localsubjectaccessreviews localsubjectaccessreview
metrics.k8s.io/v1beta1               namespaced  pods pod
metrics.k8s.io/v1beta1               cluster     nodes node
`
