// Package cluster runs a Kubernetes cluster without machines for the end-to-end
// tests. etcd, kube-apiserver and kube-controller-manager are real processes. The
// other parts that a Deployment needs are simulated.
//
// Node simulates the scheduler and kubelet. It runs each pod whose program it
// knows as a process of this machine, with the arguments, volumes and probes of
// the pod's specification. It reports the result in the pod's status. Paths of
// volumes become directories of the test. The pod's address becomes one of 127.0.0.0/8, where the
// process listens at the pod's ports. Instead of the files that tell a container its cluster, the
// process gets a kubeconfig with a token of the pod's service account.
//
// Network simulates the cluster's network with a proxy, as konnectivity does.
// Through it kube-apiserver reaches Services, and pods reach each other by name.
// It uses the Services and EndpointSlices of the cluster: a Service with a wrong
// selector or port, or without a ready pod, is not reachable.
//
// A test applies the files of artifacts/ with kubectl, unchanged, as a user does.
package cluster
