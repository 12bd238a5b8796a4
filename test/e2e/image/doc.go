// Package image builds the container image as its users do, from the Dockerfile,
// and runs what is in it.
//
// The builder is BuildKit, which docker builds with, made from the module proxy
// like the other programs of the tests. Neither it nor the test needs privileges
// beyond a user namespace: root may always make one, others where the kernel lets
// them (kernel.unprivileged_userns_clone, apparmor_restrict_unprivileged_userns).
//
// Nothing is fetched. Both base images are replaced by the empty one, through the
// build arguments that are there for that, and runtime, in place of runc, shows
// the build the toolchain and caches of this machine.
package image
