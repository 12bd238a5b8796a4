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

// A level without shares lets nobody in (134196). One that has lent all its seats
// keeps one: a level that lets nobody wait could not ask for them back.
func TestALevelThatHasLentAllItsSeatsLetsOneRequestIn(t *testing.T) {
	f := newFixture(t, 100)
	lender, closed := rejecting("lender", 30), rejecting("closed", 0)
	lender.LendablePercent = 100
	f.apply(engine.Configuration{
		Total:   100,
		Levels:  []prioritylevel.Config{lender, closed, rejecting("keeper", 60)},
		Schemas: []classify.Schema{schemaOf("lender", "lender", 10), schemaOf("closed", "closed", 20)},
	})
	report, _ := f.level("lender")
	require.Equal(t, 1, report.Division.Current, "nobody has used it yet")
	first := f.admit("lender")
	f.refuse("lender")
	f.refuse("closed")

	f.clock.Advance(5 * time.Second)
	first.Finish()
	f.clock.Advance(5 * time.Second)
	f.engine.Rebalance()
	f.admit("lender").Finish()
	f.refuse("closed")
	report, _ = f.level("closed")
	assert.Zero(t, report.Division.Current, "what has no shares is closed, however many ask")
}
