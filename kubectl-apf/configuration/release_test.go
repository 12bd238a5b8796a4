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
	for _, pair := range [][2]configuration.Release{{"1.9", "1.29"}, {"1.29", "1.100"}, {"1.37", "2.0"}, {"", "1.0"}} {
		assert.True(t, pair[0].OlderThan(pair[1]), "%v", pair)
		assert.False(t, pair[1].OlderThan(pair[0]), "%v", pair)
	}
	assert.False(t, configuration.Newest.OlderThan(configuration.Newest))
	for release, want := range map[configuration.Release]int{"1.33": 33, "2.1": 1, "": 37, "latest": 37} {
		minor, known := release.Minor()
		assert.Equal(t, want, minor, release)
		assert.Equal(t, want != 37, known, "otherwise it is the newest one's")
	}
}
