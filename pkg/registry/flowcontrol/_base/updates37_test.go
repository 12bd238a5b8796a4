//go:build k8s0.37

package flowcontrol

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/utils/clock"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol/install"
)

// This file moves with updates37.go.
func TestUpdatesMayOmitTheResourceVersionAndDoNotCreate(t *testing.T) {
	forSpec, _ := newStrategies(flowSchemas(clock.RealClock{}, nil), install.NewScheme(), rest.DeleteDependents)
	require.False(t, forSpec.AllowCreateOnUpdate(t.Context()))
	require.True(t, forSpec.AllowUnconditionalUpdate(t.Context()))
}
