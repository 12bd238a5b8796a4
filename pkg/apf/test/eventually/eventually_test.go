package eventually

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// recorder is a test whose failure is recorded.
type recorder struct {
	*testing.T
	message string
}

func (r *recorder) Fatalf(format string, args ...any) { r.message = fmt.Sprintf(format, args...) }

func TestAttemptsAreMadeUntilOneHolds(t *testing.T) {
	attempts := 0
	Holds(t, "the third attempt comes", func(a *Attempt) {
		attempts++
		require.Equal(a, 3, attempts)
	})
	require.Equal(t, 3, attempts)
}

func TestARequirementEndsTheAttemptAndAnAssertionDoesNot(t *testing.T) {
	var reached []string
	first := true
	Holds(t, "the second attempt comes", func(a *Attempt) {
		if !first {
			return
		}
		first = false
		assert.Fail(a, "asserted")
		reached = append(reached, "after assert")
		require.Fail(a, "required")
		reached = append(reached, "after require")
	})
	require.Equal(t, []string{"after assert"}, reached)
}

func TestTheLastFailureIsReportedWhenGraceIsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		r := &recorder{T: t}
		attempts := 0
		Holds(r, "the sun rises", func(a *Attempt) {
			attempts++
			require.NoError(a, fmt.Errorf("attempt %d", attempts))
		})
		require.Equal(t, Grace, time.Since(start))
		require.Contains(t, r.message, "waited in vain until the sun rises")
		require.Regexp(t, fmt.Sprintf(`attempt (%d|%d)\n`, attempts-1, attempts), r.message, "the last one may have been cut off")
		require.NotContains(t, r.message, "attempt 1\n")
	})
}

func TestAnAttemptThatIsCutOffDoesNotHideTheOneBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		attempts := 0
		failures := Within(ctx, func(a *Attempt) {
			attempts++
			if attempts == 2 {
				cancel()
				<-a.Context().Done()
				require.Fail(a, "cut off")
			}
			require.Fail(a, "the reason")
		})
		require.Contains(t, failures, "the reason")
		require.NotContains(t, failures, "cut off")
	})
}

func TestAPanicInAnAttemptIsNoFailure(t *testing.T) {
	require.PanicsWithValue(t, "a fault of the test", func() {
		Within(t.Context(), func(*Attempt) { panic("a fault of the test") })
	})
}
