package server

import (
	"fmt"
	"runtime"

	apimachineryversion "k8s.io/apimachinery/pkg/version"
	"k8s.io/component-base/compatibility"
)

// productVersion is the release of this server, which the Dockerfile sets with -X.
var productVersion = "0.1.0" //nolint:gochecknoglobals // see above

// kubernetesVersion is the release of the libraries, whose behaviour this server has.
const kubernetesVersion = "v1.33.13"

// Version describes this server in a line.
func Version() string {
	return fmt.Sprintf("flowcontrol-apiserver v%s (Kubernetes %s, %s)", productVersion, kubernetesVersion, runtime.Version())
}

// effectiveVersion is what /version returns: the Kubernetes release, by which clients
// decide what they may ask for, with this server's release in the build metadata.
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
