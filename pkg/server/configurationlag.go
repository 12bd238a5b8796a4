package server

import (
	"fmt"
	"net/http"
	"sync"
	"time"

	"k8s.io/utils/clock"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
)

// maxLag is how long changes may wait to be enforced. They take milliseconds.
const maxLag = time.Minute

// configurationLag notices an engine that applies nothing any more, although objects have
// changed. It remembers what earlier checks saw: changes that come all the time always
// wait, but the last application is then a new one.
type configurationLag struct {
	status func() engine.ConfigurationStatus
	clock  clock.PassiveClock

	mutex sync.Mutex // guards the fields below
	// since is when changes were first seen to wait after the application at appliedAt,
	// zero if none waited.
	since, appliedAt time.Time
}

// check fails if changes have waited for maxLag and nothing was applied meanwhile. Before
// the first application another check fails.
func (l *configurationLag) check(*http.Request) error {
	status, now := l.status(), l.clock.Now()
	l.mutex.Lock()
	defer l.mutex.Unlock()
	switch {
	case status.Pending == 0 || status.AppliedAt.IsZero():
		l.since = time.Time{}
	case l.since.IsZero() || !status.AppliedAt.Equal(l.appliedAt):
		l.since, l.appliedAt = now, status.AppliedAt
	case now.Sub(l.since) >= maxLag:
		return fmt.Errorf("%d changes of FlowSchemas and PriorityLevelConfigurations are not enforced since %s: restart this server",
			status.Pending, l.since.UTC().Format(time.RFC3339))
	}
	return nil
}
