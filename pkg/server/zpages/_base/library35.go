//go:build k8s0.35

package zpages

import (
	"k8s.io/apiserver/pkg/server/flagz"
	"k8s.io/apiserver/pkg/server/mux"
	"k8s.io/apiserver/pkg/server/statusz"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/compatibility"
	"k8s.io/component-base/zpages/features"
)

// This file is for k8s.io 0.35 and later, with both pages in k8s.io/apiserver. It moves into
// zpages.go when go.mod requires k8s.io 0.35.
type (
	// Reader reads the flags that /flagz shows.
	Reader = flagz.Reader
	// FlagSets are flags as a Reader.
	FlagSets = flagz.NamedFlagSetsReader
)

func installStatus(paths *mux.PathRecorderMux, version compatibility.EffectiveVersion) {
	if utilfeature.DefaultFeatureGate.Enabled(features.ComponentStatusz) {
		return // the library serves it
	}
	statusz.Install(paths, component, statusz.NewRegistry(version))
}

func installFlags(paths *mux.PathRecorderMux, flags Reader) {
	flagz.Install(paths, component, flags)
}
