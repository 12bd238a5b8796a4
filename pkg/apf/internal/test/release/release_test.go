package release_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/test/release"
)

func TestReleaseIsOneOfThoseThatAreSupported(t *testing.T) {
	assert.GreaterOrEqual(t, release.Minor(), 33)
	assert.LessOrEqual(t, release.Minor(), 37)
}
