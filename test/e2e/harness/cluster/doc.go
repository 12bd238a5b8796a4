// Package cluster runs a Kubernetes cluster without machines for the end-to-end
// tests: etcd, kube-apiserver and kube-controller-manager as real processes, and
// stand-ins for what else a Deployment needs to run.
//
// Node stands in for scheduler and kubelet. It runs each pod whose program it
// knows as a process of this machine, with the arguments, volumes and probes of
// the pod's specification, and reports what it sees in the pod's status. What a
// container would have for itself is put in its place: paths of volumes become
// directories of the test, and the address of the pod becomes one of
// 127.0.0.0/8, on which the process listens at the pod's own ports. In place of
// the files by which a container finds its cluster, the process is given a
// kubeconfig with the token of the pod's service account.
//
// Network stands in for the cluster's network: a proxy, as konnectivity is,
// through which kube-apiserver reaches Services and pods reach each other by
// name. It goes by the Services and EndpointSlices of the cluster, so a Service
// with a wrong selector or port, or one without a ready pod, is not reached.
//
// So a test applies the files of artifacts/ with kubectl, unchanged, and has
// what a user would have.
package cluster
