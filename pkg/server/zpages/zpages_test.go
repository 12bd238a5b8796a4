package zpages

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

type flags map[string]string

func (f flags) GetFlagz() map[string]string { return f }

func TestFlagsAreShownWithoutPasswords(t *testing.T) {
	assert.Equal(t, map[string]string{
		"etcd-servers": "[https://REDACTED@a:2379,https://b:2379,http://REDACTED@c]", "oidc-issuer-url": "https://c/d@e", "v": "2",
	}, withoutPasswords{flags{
		"etcd-servers": "[https://root:secret@a:2379,https://b:2379,http://token@c]", "oidc-issuer-url": "https://c/d@e", "v": "2",
	}}.GetFlagz())
}
