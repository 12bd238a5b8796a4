package server

import (
	"context"
	"regexp"

	"k8s.io/component-base/zpages/flagz"
	"k8s.io/component-base/zpages/statusz"
)

// componentName is the name of this server in /statusz and /flagz.
const componentName = "flowcontrol-apiserver"

// installZPages serves /statusz and /flagz, for those who may get these paths. Kubernetes has
// them since 1.36 without a gate.
func (s *Server) installZPages(context.Context) error {
	paths := s.apiserver.Handler.NonGoRestfulMux
	statusz.Install(paths, componentName, statusz.NewRegistry(s.generic.EffectiveVersion))
	if s.config.FlagReader != nil {
		flagz.Install(paths, componentName, withoutPasswords{s.config.FlagReader})
	}
	return nil
}

// withoutPasswords are flags without the users and passwords of URLs.
type withoutPasswords struct{ flagz.Reader }

var userInfo = regexp.MustCompile(`://[^/@\s,]*@`)

// GetFlagz implements flagz.Reader.
func (w withoutPasswords) GetFlagz() map[string]string {
	flags := w.Reader.GetFlagz()
	for name, value := range flags {
		flags[name] = userInfo.ReplaceAllString(value, "://REDACTED@")
	}
	return flags
}
