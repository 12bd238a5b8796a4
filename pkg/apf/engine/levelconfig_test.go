package engine

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

func TestAnInvalidConfigurationIsRejectedWithItsReason(t *testing.T) {
	negative := int32(-1)
	for reason, change := range map[string]func(*LevelConfig){
		"name must not be empty":                                func(c *LevelConfig) { c.Name = "" },
		"discipline must be Exempt, Reject or Queue, not Unset": func(c *LevelConfig) { c.Config = queueset.Config{} },
		"only that, must have type Exempt": func(c *LevelConfig) {
			c.Config = queueset.Config{Discipline: queueset.Exempt}
		},
		`"exempt" has type Queue`:    func(c *LevelConfig) { c.Name = rules.Exempt },
		"-3 shares":                  func(c *LevelConfig) { c.Shares = -3 },
		"lendable percent 101":       func(c *LevelConfig) { c.LendablePercent = 101 },
		"lendable percent -1":        func(c *LevelConfig) { c.LendablePercent = -1 },
		"borrowing limit percent -1": func(c *LevelConfig) { c.BorrowingLimitPercent = &negative },
		"queue length limit 0":       func(c *LevelConfig) { c.QueueLengthLimit = 0 },
	} {
		t.Run(reason, func(t *testing.T) {
			config := queuing(4)
			require.NoError(t, config.Validate())
			change(&config)
			assert.ErrorContains(t, config.Validate(), reason)
		})
	}
}
