//go:build !k8s0.35

package zpages

import (
	"k8s.io/apiserver/pkg/server/mux"
	"k8s.io/component-base/compatibility"
	"k8s.io/component-base/zpages/flagz"
	"k8s.io/component-base/zpages/statusz"
)

// This file is for k8s.io 0.33 and 0.34. In 0.35 both pages moved to k8s.io/apiserver. It can
// go when go.mod requires k8s.io 0.35.
type (
	// Reader reads the flags that /flagz shows.
	Reader = flagz.Reader
	// FlagSets are flags as a Reader.
	FlagSets = flagz.NamedFlagSetsReader
)

func installStatus(paths *mux.PathRecorderMux, version compatibility.EffectiveVersion) {
	statusz.Install(paths, component, statusz.NewRegistry(version))
}

func installFlags(paths *mux.PathRecorderMux, flags Reader) {
	flagz.Install(paths, component, flags)
}
