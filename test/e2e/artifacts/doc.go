// Package artifacts proves that what is shipped works as the guides say: the files of artifacts/ are
// valid input of kubectl, kube-apiserver, cert-manager, promtool and the server; the commands of the
// documents print what they show; a Prometheus scrapes the replicas; the Dockerfile builds.
package artifacts
