package source_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/cli-runtime/pkg/resource"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/source"
)

func TestOptionsThatContradictEachOther(t *testing.T) {
	for _, c := range []struct {
		name    string
		options source.Options
		message string
	}{
		{"offline and a server", source.Options{Offline: true, Servers: []string{"https://a"}}, "--offline and --server exclude each other"},
		{"dumps and a server", source.Options{Dumps: "d", Servers: []string{"https://a"}}, "--dumps and --server exclude each other"},
		{"files and a kustomization", source.Options{Offline: true, Files: resource.FilenameOptions{Filenames: []string{"a"}, Kustomize: "b"}}, "-f and -k exclude each other."},
		{"a kustomization, recursively", source.Options{Offline: true, Files: resource.FilenameOptions{Kustomize: "b", Recursive: true}}, "-k and -R exclude each other."},
		{"a negative total", source.Options{Offline: true, Total: -1}, "--total is -1: must be positive."},
		{"an unknown release", source.Options{Offline: true, Release: "1.28"}, `--release: the release "1.28" is unknown: must be from 1.29 to 1.37.`},
		{"nowhere to look", source.Options{}, "There is neither a cluster nor a directory of saved API responses"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := source.New(c.options)
			require.Error(t, err)
			assert.ErrorContains(t, err, c.message)
		})
	}
}

func TestOfflineHasTheBuiltInObjects(t *testing.T) {
	s := newSource(t, source.Options{Offline: true, Release: "1.33", Total: 100})
	c, err := s.Configuration(t.Context())
	require.NoError(t, err)
	assert.EqualValues(t, "1.33", c.Release)
	assert.Len(t, c.FlowSchemas, 13)
	assert.Equal(t, 100, c.Total)
	assert.Empty(t, c.Notes)
	states, err := s.Replicas(t.Context(), everything())
	require.NoError(t, err)
	assert.Empty(t, states)
	facts, err := s.Facts(t.Context())
	require.NoError(t, err)
	assert.Nil(t, facts.Namespaces)
	assert.Len(t, facts.Missing, 1)
}

func TestOfflineSaysWhatItAssumes(t *testing.T) {
	c := configurationOf(t, source.Options{Offline: true})
	assert.Equal(t, configuration.Newest, c.Release)
	assert.Equal(t, []string{
		"The built-in objects are from Kubernetes 1.37; --release names another release.",
		"The total of an API server is unknown: 600 seats are assumed, as without flags; --total names another number.",
	}, c.Notes)
}
