package configversion

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestOtherErrorsStay(t *testing.T) {
	assert.NoError(t, Explain(nil))
	for _, text := range []string{"no such file", `unknown field "issuer.nothing"`, `unknown field "myissuer.egressSelectorType"`} {
		err := errors.New(text)
		assert.Equal(t, err, Explain(err))
	}
}
