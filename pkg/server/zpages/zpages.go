// Package zpages serves /statusz and /flagz, for those who may get these paths. Kubernetes has
// them since 1.36 without a gate.
package zpages

import (
	"regexp"

	"k8s.io/apiserver/pkg/server/mux"
	"k8s.io/component-base/compatibility"
)

// component is the name of this server in both pages.
const component = "flowcontrol-apiserver"

// Install serves /statusz, and /flagz if flags can be read.
func Install(paths *mux.PathRecorderMux, version compatibility.EffectiveVersion, flags Reader) {
	installStatus(paths, version)
	if flags != nil {
		installFlags(paths, withoutPasswords{flags})
	}
}

// withoutPasswords are flags without the users and passwords of URLs.
type withoutPasswords struct{ Reader }

var userInfo = regexp.MustCompile(`://[^/@\s,]*@`)

// GetFlagz implements Reader.
func (w withoutPasswords) GetFlagz() map[string]string {
	flags := w.Reader.GetFlagz()
	for name, value := range flags {
		flags[name] = userInfo.ReplaceAllString(value, "://REDACTED@")
	}
	return flags
}
