package server

import (
	"fmt"
	"runtime"

	apimachineryversion "k8s.io/apimachinery/pkg/version"
	"k8s.io/component-base/compatibility"
)

// productVersion is the release of this server; the linker sets it to another
// (-X) where the Dockerfile is told one.
var productVersion = "0.1.0" //nolint:gochecknoglobals // see above

// kubernetesVersion is the release whose behaviour this server follows: that of
// the libraries it is built on.
const kubernetesVersion = "v1.33.13"

// VersionLine is what --version prints.
func VersionLine() string {
	return fmt.Sprintf("flowcontrol-apiserver v%s (Kubernetes %s, %s)", productVersion, kubernetesVersion, runtime.Version())
}

// effectiveVersion answers /version with the release whose API is served, as
// clients decide by it what they may ask, and names this server in the build
// metadata.
type effectiveVersion struct {
	compatibility.EffectiveVersion
}

var _ compatibility.EffectiveVersion = effectiveVersion{}

func (v effectiveVersion) Info() *apimachineryversion.Info {
	info := v.EffectiveVersion.Info()
	if info != nil {
		info.GitVersion = fmt.Sprintf("%s+flowcontrol-apiserver.%s", kubernetesVersion, productVersion)
	}
	return info
}
