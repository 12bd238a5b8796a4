package engine_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/classify"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/prioritylevel"
)

// A level may lend all that it has, and then lets nobody in (134196). One that
// lets nobody wait either must all the same be seen to be wanted.
func TestSeatsThatWereAllLentComeBackToALevelThatLetsNobodyWait(t *testing.T) {
	f := newFixture(t, 100)
	lender, closed := rejecting("lender", 30), rejecting("closed", 0)
	lender.LendablePercent = 100
	f.apply(engine.Configuration{
		Total:   100,
		Levels:  []prioritylevel.Config{lender, closed, rejecting("keeper", 60)},
		Schemas: []classify.Schema{schemaOf("lender", "lender", 10), schemaOf("closed", "closed", 20)},
	})
	report, _ := f.level("lender")
	require.Zero(t, report.Division.Current, "nobody has used it yet")
	for _, user := range []string{"lender", "closed"} {
		f.refuse(user)
	}

	f.clock.Advance(10 * time.Second)
	f.engine.Rebalance()
	ticket := f.admit("lender")
	f.clock.Advance(time.Second)
	ticket.Finish()
	f.refuse("closed")

	f.clock.Advance(9 * time.Second)
	f.engine.Rebalance()
	f.admit("lender").Finish()
	f.refuse("closed")
	report, _ = f.level("closed")
	assert.Zero(t, report.Division.Current, "what has no shares is closed, however many ask")
}
