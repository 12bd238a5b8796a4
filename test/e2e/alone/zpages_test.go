package alone

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func testZPages(t *testing.T, s *live) {
	status := s.Kubectl(t).Run(t, "get", "--raw", "/statusz")
	assert.Regexp(t, `flowcontrol-apiserver statusz[\s\S]*Go version\W+go1\.`, status)
	flags := s.Kubectl(t).Run(t, "get", "--raw", "/flagz")
	assert.Regexp(t, `flowcontrol-apiserver flags[\s\S]*\nlist-cost\W+learned\n`, flags)
	assert.Regexp(t, `\nmax-requests-inflight\W+\d+\n`, flags)
	assert.Contains(t, s.Kubectl(t).Run(t, "get", "--raw", "/"), `"/flagz"`)
}
