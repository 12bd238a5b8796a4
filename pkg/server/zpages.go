package server

import (
	"context"
	"regexp"

	cliflag "k8s.io/component-base/cli/flag"
)

// installZPages serves /statusz, and /flagz if the flags are known, to those who may get these
// paths. Kubernetes has them since 1.36 without a gate.
func (s *Server) installZPages(context.Context) error {
	paths := s.apiserver.Handler.NonGoRestfulMux
	installStatusz(paths, s.generic.EffectiveVersion)
	if len(s.config.FlagSets.FlagSets) > 0 {
		installFlagz(paths, shownFlags(s.config.FlagSets))
	}
	return nil
}

// shownFlags are flags without the users and passwords of URLs.
type shownFlags cliflag.NamedFlagSets

// GetFlagz implements flagz.Reader.
func (f shownFlags) GetFlagz() map[string]string {
	userInfo := regexp.MustCompile(`://[^/@\s,]*@`)
	shown := flagValues(cliflag.NamedFlagSets(f))
	for name, value := range shown {
		shown[name] = userInfo.ReplaceAllString(value, "://REDACTED@")
	}
	return shown
}
