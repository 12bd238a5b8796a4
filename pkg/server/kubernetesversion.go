package server

// kubernetesVersion is the release of the libraries, whose behaviour this server has. For
// builds on another release hack/base.sh writes this file.
const kubernetesVersion = "v1.33.13"
