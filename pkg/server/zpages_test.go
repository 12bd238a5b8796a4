package server

import (
	"testing"

	"github.com/stretchr/testify/assert"
	cliflag "k8s.io/component-base/cli/flag"
)

func TestFlagsAreShownWithoutPasswords(t *testing.T) {
	var sets cliflag.NamedFlagSets
	flags := sets.FlagSet("test")
	flags.StringSlice("etcd-servers", []string{"https://root:secret@a:2379", "https://b:2379", "http://token@c"}, "")
	flags.String("issuer", "https://c/d@e", "")
	flags.Int("v", 2, "")
	assert.Equal(t, map[string]string{
		"etcd-servers": "[https://REDACTED@a:2379,https://b:2379,http://REDACTED@c]", "issuer": "https://c/d@e", "v": "2",
	}, shownFlags(sets).GetFlagz())
}
