package engine_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/clock"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

func TestRequestPassesTheBuiltInConfiguration(t *testing.T) {
	c := clock.NewFake(time.Unix(0, 0))
	e := engine.New(c, 2, 600)
	ticket := e.Begin()
	ticket.Attributes.User = "alice"
	ticket.Attributes.Groups = []string{"system:authenticated"}
	ticket.Attributes.Verb = "get"
	ticket.Attributes.IsResourceRequest = true
	ticket.Attributes.Resource = "pods"
	ticket.Classify()
	assert.Equal(t, "catch-all", ticket.Schema().Name)
	require.True(t, ticket.Admit(context.Background(), seats.Work{Initial: 1}, nil))
	assert.Equal(t, 1, e.Report().Levels[0].Figures.SeatsInUse)
	c.Advance(time.Second)
	assert.Equal(t, time.Second, ticket.Finish())
	ticket.End()
	assert.Equal(t, 0, e.Report().Levels[0].Figures.SeatsInUse)
}
