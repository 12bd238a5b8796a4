package app

import (
	"fmt"
	"runtime"

	apimachineryversion "k8s.io/apimachinery/pkg/version"
	"k8s.io/component-base/compatibility"
)

const (
	// productVersion is the release of this server.
	productVersion = "0.1.0"
	// kubernetesVersion is the release whose behaviour this server follows: that
	// of the libraries it is built on.
	kubernetesVersion = "v1.33.13"
)

func versionLine() string {
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
