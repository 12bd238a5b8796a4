package filter

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
)

// Nobody reads the answer, so that the request takes no seat, although all are free.
func TestARequestWhoseClientHasLeftTakesNoSeat(t *testing.T) {
	left, cancel := context.WithCancel(t.Context())
	cancel()
	late, free := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer free()
	for _, by := range []struct{ name, schema string }{{nobody, "everybody"}, {master, "exempt"}} {
		for _, verb := range []string{"get", "list", "create", "watch"} {
			for reason, ctx := range map[queueset.Reason]context.Context{queueset.Cancelled: left, queueset.TimeOut: late} {
				t.Run(by.schema+", "+verb+", "+reason.String(), func(t *testing.T) {
					s := newSite(t, queueset.Queue, 1)
					executed := false
					r := requestBy(by.name, verb, "")
					values := r.Context()
					r = r.WithContext(valuesOf{ctx, values})
					s.ask(s.before(func(http.ResponseWriter, *http.Request) { executed = true }), r)
					require.False(t, executed)
					s.requireIdle()
					counted := s.series(by.schema)
					require.EqualValues(t, 1, counted.Rejected[reason])
					require.Zero(t, counted.ExecutionRegular.Count()+counted.ExecutionWatch.Count())
				})
			}
		}
	}
}

// valuesOf is a context with the values of another one.
type valuesOf struct {
	context.Context
	values context.Context
}

// Value implements context.Context.
func (v valuesOf) Value(key any) any {
	if value := v.Context.Value(key); value != nil {
		return value
	}
	return v.values.Value(key)
}
