// Package artifacts proves that what is shipped works as the guides say: the files of artifacts/ are
// valid input of kubectl, kube-apiserver, cert-manager, promtool and the server; the commands of the
// documents print what they show; a Prometheus scrapes the replicas; the image runs.
//
// The image's builder is BuildKit, which docker uses, built from the module proxy like the other
// programs of the tests. It needs no privileges beyond a user namespace. The build downloads nothing:
// build arguments replace both base images by the empty one, and in place of runc a runtime mounts the
// toolchain and caches of this machine.
package artifacts
