// Package image builds the container image from the Dockerfile, as users do, and
// runs its program.
//
// The builder is BuildKit, which docker uses, built from the module proxy like the
// other programs of the tests. Neither BuildKit nor the test needs privileges
// beyond a user namespace: root can always create one, other users if the kernel
// allows it (kernel.unprivileged_userns_clone,
// apparmor_restrict_unprivileged_userns).
//
// The build downloads nothing. Build arguments replace both base images by the
// empty one. In place of runc, a runtime mounts the toolchain and caches of this
// machine.
package image
