package configuration_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
)

func TestReleaseOfAVersion(t *testing.T) {
	for version, want := range map[string]configuration.Release{
		"v1.33.4":                              "1.33",
		"v1.33.4+k3s1":                         "1.33",
		"v1.33.13+flowcontrol-apiserver.0.1.0": "1.33",
		"v1.33.4-eks-b9c9ed7":                  "1.33",
		"v1.29+":                               "1.29",
		"1.29":                                 "1.29",
		"v1.37.0-alpha.1.123+0123456789abcdef-dirty": "1.37",
		"v2.0.0": "2.0",
		"":       "",
		"v1":     "",
		"v1.":    "",
		"v.33":   "",
		"vx.y":   "",
		"v-1.33": "",
		"latest": "",
	} {
		assert.Equal(t, want, configuration.ReleaseOf(version), "%q", version)
	}
}

func TestReleasesAreComparedByNumber(t *testing.T) {
	for _, c := range []struct {
		name string
		a, b configuration.Release
		want int
	}{
		{"the same", "1.33", "1.33", 0},
		{"a minor of fewer digits", "1.9", "1.29", -1},
		{"a minor of more digits", "1.100", "1.29", 1},
		{"another major", "2.0", "1.37", 1},
		{"no release is the oldest", "", "0.0", -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.want, c.a.Compare(c.b))
			assert.Equal(t, -c.want, c.b.Compare(c.a))
		})
	}
}

func TestAllReleasesAreKnown(t *testing.T) {
	releases := configuration.Releases()
	assert.Len(t, releases, 9)
	assert.Equal(t, configuration.Oldest, releases[0])
	assert.Equal(t, configuration.Newest, releases[8])
}
