package filter

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	auditinternal "k8s.io/apiserver/pkg/apis/audit"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/test/release"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/names"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
)

// shortened returns annotations by the last part of their keys.
func shortened(t *testing.T, annotations map[string]string) map[string]string {
	t.Helper()
	short := map[string]string{}
	for key, value := range annotations {
		require.Greater(t, len(key), len(names.AnnotationPrefix))
		assert.Equal(t, names.AnnotationPrefix, key[:len(names.AnnotationPrefix)])
		short[key[len(names.AnnotationPrefix):]] = value
	}
	return short
}

func TestAuditEventSaysWhatFlowControlDid(t *testing.T) {
	wanted := func(wait, outcome string) map[string]string {
		return map[string]string{
			"flow-schema": "everybody", "priority-level": "tested", "flow-distinguisher": "", "seats": "1", "queue-wait": wait, "outcome": outcome,
		}
	}
	for _, test := range []struct {
		name       string
		verb       string
		discipline queueset.Discipline
		seats      int
		busy       time.Duration // for how long nobody else has a seat
		deadline   time.Duration // of the request
		leaves     bool
		want       map[string]string
	}{
		{"a request that executes", "get", queueset.Queue, 1, 0, time.Minute, false, wanted("0s", "executed")},
		{"a request that waits and executes", "get", queueset.Queue, 1, 1500 * time.Millisecond, time.Minute, false, wanted("1.5s", "executed")},
		{"a watch that executes", "watch", queueset.Queue, 1, 0, time.Minute, false, wanted("0s", "executed")},
		{"a request that is rejected at once", "get", queueset.Reject, 0, 0, time.Minute, false, wanted("0s", "concurrency-limit")},
		{"a request whose time to wait is over", "get", queueset.Queue, 1, time.Minute, 40 * time.Second, false, wanted("10s", "time-out")},
		{"a request whose client leaves", "get", queueset.Queue, 1, time.Minute, 40 * time.Second, true, wanted("1s", "cancelled")},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSite(t, test.discipline, test.seats)
				s.options.Annotations = AnnotateGoverned
				if test.busy > 0 {
					time.AfterFunc(test.busy, s.busy())
					defer func() { <-time.After(test.busy) }()
				}
				r, annotations := release.Audited(requestBy(nobody, test.verb, "resourceVersion=7"), auditinternal.LevelMetadata)
				ctx, cancel := context.WithTimeout(r.Context(), test.deadline)
				defer cancel()
				if test.leaves {
					time.AfterFunc(time.Second, cancel)
				}
				s.ask(s.before(func(_ http.ResponseWriter, _ *http.Request) {
					assert.Equal(t, test.want, shortened(t, annotations()), "the event of the start of a response has them")
				}), r.WithContext(ctx))
				assert.Equal(t, test.want, shortened(t, annotations()))
			})
		})
	}
}

func TestOptionsSayWhichRequestsAreAnnotated(t *testing.T) {
	for _, test := range []struct {
		name        string
		annotations Annotations
		user        string
		level       auditinternal.Level
		annotated   bool
	}{
		{"none unless asked for", AnnotateNone, nobody, auditinternal.LevelMetadata, false},
		{"a governed request", AnnotateGoverned, nobody, auditinternal.LevelMetadata, true},
		{"not an exempt one", AnnotateGoverned, master, auditinternal.LevelMetadata, false},
		{"an exempt one if all are", AnnotateAll, master, auditinternal.LevelMetadata, true},
		{"not one that the policy excludes", AnnotateAll, nobody, auditinternal.LevelNone, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newSite(t, queueset.Queue, 1)
			s.options.Annotations = test.annotations
			r, annotations := release.Audited(requestBy(test.user, "get", ""), test.level)
			s.ask(s.before(func(http.ResponseWriter, *http.Request) {}), r)
			assert.Equal(t, test.annotated, len(annotations()) > 0)
			if test.user == master && test.annotated {
				assert.Equal(t, "exempt", annotations()[PriorityLevelAnnotation])
			}
		})
	}
}

func TestRequestWithoutAuditPaysNothingForAnnotations(t *testing.T) {
	allocations := func(annotations Annotations) float64 {
		s := newSite(t, queueset.Queue, 1)
		s.options.Annotations = annotations
		handler := s.before(func(http.ResponseWriter, *http.Request) {})
		r := requestBy(nobody, "get", "")
		return testing.AllocsPerRun(1000, func() { s.ask(handler, r) })
	}
	assert.InDelta(t, allocations(AnnotateNone), allocations(AnnotateAll), 0.5)
}
