package bootstrap

import (
	"slices"

	library "k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint"
)

// Defaults returns the built-in objects that the keeper maintains. They are read only.
func Defaults() lint.Defaults {
	return lint.Defaults{
		FlowSchemas:    slices.Concat(library.MandatoryFlowSchemas, library.SuggestedFlowSchemas),
		PriorityLevels: slices.Concat(library.MandatoryPriorityLevelConfigurations, library.SuggestedPriorityLevelConfigurations),
	}
}
