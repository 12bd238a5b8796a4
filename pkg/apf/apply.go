package apf

import (
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/configsync"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
)

// Apply replaces the configuration, and returns the invalid objects, which it ignores as if they
// did not exist. Mandatory objects may be missing: their built-in forms take effect. The objects must not change afterwards.
//
// Apply is for a FlowControl without informers: those replace what it has applied.
func (f *FlowControl) Apply(levels []*flowcontrolv1.PriorityLevelConfiguration, schemas []*flowcontrolv1.FlowSchema) []engine.Problem {
	configuration, problems := configsync.NewTranslator().Translate(levels, schemas)
	return append(problems, f.engine.Apply(configuration)...)
}
