package prioritylevel_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/mandatory"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/prioritylevel"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
)

func TestAnInvalidConfigurationIsRefusedWithItsReason(t *testing.T) {
	negative := int32(-1)
	for reason, change := range map[string]func(*prioritylevel.Config){
		"name must not be empty":                                func(c *prioritylevel.Config) { c.Name = "" },
		"discipline must be Exempt, Reject or Queue, not Unset": func(c *prioritylevel.Config) { c.Config = queueset.Config{} },
		"only that, must have type Exempt": func(c *prioritylevel.Config) {
			c.Config = queueset.Config{Discipline: queueset.Exempt}
		},
		`"exempt" has type Queue`:    func(c *prioritylevel.Config) { c.Name = mandatory.Exempt },
		"-3 shares":                  func(c *prioritylevel.Config) { c.Shares = -3 },
		"lendable percent 101":       func(c *prioritylevel.Config) { c.LendablePercent = 101 },
		"lendable percent -1":        func(c *prioritylevel.Config) { c.LendablePercent = -1 },
		"borrowing limit percent -1": func(c *prioritylevel.Config) { c.BorrowingLimitPercent = &negative },
		"queue length limit 0":       func(c *prioritylevel.Config) { c.QueueLengthLimit = 0 },
	} {
		t.Run(reason, func(t *testing.T) {
			config := queuing(4)
			require.NoError(t, config.Validate())
			change(&config)
			assert.ErrorContains(t, config.Validate(), reason)
		})
	}
}
