package events

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/textlogger"
	"k8s.io/utils/clock"
)

// server keeps Events as kube-apiserver does, which forgets them after an hour.
type server struct {
	calls  int
	fails  error
	events map[string]*corev1.Event
}

func (s *server) Create(event *corev1.Event) (*corev1.Event, error) {
	s.calls++
	switch _, found := s.events[event.Name]; {
	case s.fails != nil:
		return nil, s.fails
	case found:
		return nil, apierrors.NewAlreadyExists(resource(), event.Name)
	}
	s.events[event.Name] = event.DeepCopy()
	return event, nil
}

func (s *server) Update(event *corev1.Event) (*corev1.Event, error) { return event, nil }

func (s *server) Patch(event *corev1.Event, _ []byte) (*corev1.Event, error) {
	s.calls++
	if s.fails != nil {
		return nil, s.fails
	}
	if _, found := s.events[event.Name]; !found {
		return nil, apierrors.NewNotFound(resource(), event.Name)
	}
	s.events[event.Name] = event.DeepCopy()
	return event, nil
}

func resource() schema.GroupResource { return schema.GroupResource{Resource: "events"} }

// said returns how often each warning was said, by "object reason".
func (s *server) said() map[string]int32 {
	found := map[string]int32{}
	for _, event := range s.events {
		if event.Type != corev1.EventTypeWarning {
			continue // what is said is always one
		}
		found[event.InvolvedObject.Kind+"/"+event.InvolvedObject.Name+" "+event.Reason] = event.Count
	}
	return found
}

// site is the state that replicas report.
type site struct {
	*server
	schemas  []*flowcontrolv1.FlowSchema
	levels   []*flowcontrolv1.PriorityLevelConfiguration
	rejected map[string]uint64
}

func newSite() *site {
	return &site{server: &server{events: map[string]*corev1.Event{}}, rejected: map[string]uint64{}}
}

// replica starts a replica whose Reporter ends with the test.
func (s *site) replica(t *testing.T, host string) *Reporter {
	t.Helper()
	r := New(Config{
		Sink: s.server, Host: host, Clock: clock.RealClock{},
		Schemas:  func(labels.Selector) ([]*flowcontrolv1.FlowSchema, error) { return s.schemas, nil },
		Levels:   func(labels.Selector) ([]*flowcontrolv1.PriorityLevelConfiguration, error) { return s.levels, nil },
		Rejected: func() map[string]uint64 { return maps.Clone(s.rejected) },
	})
	r.Start(t.Context())
	go r.Run(t.Context())
	return r
}

// after lets time pass.
func after(d time.Duration) {
	<-time.After(d) // virtual
	synctest.Wait()
}

func dangling(name string) *flowcontrolv1.FlowSchema {
	schema := &flowcontrolv1.FlowSchema{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID("uid of " + name)}}
	schema.Spec.PriorityLevelConfiguration.Name = "absent"
	schema.Status.Conditions = []flowcontrolv1.FlowSchemaCondition{{
		Type: flowcontrolv1.FlowSchemaConditionDangling, Status: flowcontrolv1.ConditionTrue, LastTransitionTime: metav1.Now(),
	}}
	return schema
}

func TestAMissingLevelIsSaidAfterAMinuteAndWhileItLasts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite()
		s.schemas = append(s.schemas, dangling("batch"))
		for _, host := range []string{"a", "b", "c"} {
			s.replica(t, host)
			after(10 * time.Second)
		}
		require.Empty(t, s.said(), "a bundle creates the level a moment later")
		after(5 * time.Minute)
		require.Equal(t, map[string]int32{"FlowSchema/batch MissingPriorityLevel": 1}, s.said(), "each of three replicas says it")
		require.Len(t, s.events, 1, "and it is one Event")
		for _, event := range s.events {
			require.Equal(t, "default", event.Namespace, "where kube-apiserver keeps Events of objects without a namespace")
			require.Equal(t, types.UID("uid of batch"), event.InvolvedObject.UID)
			require.Contains(t, event.Message, `No priority level "absent" exists`)
		}
		after(30 * time.Minute)
		require.Equal(t, map[string]int32{"FlowSchema/batch MissingPriorityLevel": 2}, s.said())
		clear(s.events) // expired
		after(30 * time.Minute)
		require.Len(t, s.said(), 1, "it is said again")

		s.schemas = nil
		clear(s.events)
		after(2 * time.Hour)
		require.Empty(t, s.said())
	})
}

func TestALevelThatRejectsForMinutesIsSaidByEachReplica(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite()
		for _, name := range []string{"busy", "short", "idle"} {
			s.levels = append(s.levels, &flowcontrolv1.PriorityLevelConfiguration{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name)}})
		}
		s.rejected = map[string]uint64{"idle": 1000, "busy": 7}
		s.replica(t, "host-1")
		s.replica(t, "host-2")
		synctest.Wait()
		minute := func(levels ...string) {
			for _, level := range levels {
				s.rejected[level]++
			}
			after(time.Minute)
		}
		minute("busy", "short")
		minute("busy", "short")
		require.Empty(t, s.said(), "what was rejected before the start counts for no minute")
		minute("busy")
		minute("short") // the minutes are not in a row
		require.Equal(t, map[string]int32{"PriorityLevelConfiguration/busy RejectingRequests": 1}, s.said())
		require.Len(t, s.events, 2, "each replica rejects requests of its own")
		for range 60 {
			minute("busy")
		}
		require.Equal(t, map[string]int32{"PriorityLevelConfiguration/busy RejectingRequests": 3}, s.said(), "when it began, when it began again after the quiet minute, and 30 minutes later")
	})
}

func TestWhatTheKeeperUndoesIsSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite()
		r := s.replica(t, "a")
		r.Restored("FlowSchema", dangling("probes"))
		r.Recreated("FlowSchema", dangling("global-default"))
		synctest.Wait()
		r.Failed("FlowSchema", &flowcontrolv1.FlowSchema{ObjectMeta: metav1.ObjectMeta{Name: "exempt"}}, errors.New("denied by a webhook")) // it is not stored
		synctest.Wait()
		require.Equal(t, map[string]int32{"FlowSchema/probes Restored": 1, "FlowSchema/global-default Recreated": 1, "FlowSchema/exempt NotEnsured": 1}, s.said())
		for range 1000 { // another server or client undoes it each time
			r.Restored("FlowSchema", dangling("probes"))
			after(time.Second)
		}
		require.Less(t, s.calls, 50, "the recorder limits the Events of an object")
	})
}

func TestThousandsOfSchemasAreFewEventsAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite()
		for i := range 5000 {
			s.schemas = append(s.schemas, dangling(fmt.Sprint(i)))
		}
		s.replica(t, "a")
		after(10*time.Minute + time.Second)
		require.Len(t, s.events, 10*atOnce)
	})
}

func TestWithoutTheRightOrTheAPINothingIsLogged(t *testing.T) {
	for name, fails := range map[string]error{
		"forbidden": apierrors.NewForbidden(resource(), "", errors.New("no")),
		"no API":    apierrors.NewNotFound(resource(), ""),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log strings.Builder
				logger := textlogger.NewLogger(textlogger.NewConfig(textlogger.Output(&log)))
				s := newSite()
				s.schemas, s.fails = append(s.schemas, dangling("batch")), fails
				r := New(Config{
					Sink: s.server, Clock: clock.RealClock{},
					Schemas:  func(labels.Selector) ([]*flowcontrolv1.FlowSchema, error) { return s.schemas, nil },
					Levels:   func(labels.Selector) ([]*flowcontrolv1.PriorityLevelConfiguration, error) { return nil, nil },
					Rejected: func() map[string]uint64 { return nil },
				})
				ctx := klog.NewContext(t.Context(), logger)
				r.Start(ctx)
				go r.Run(ctx)
				after(2 * time.Hour)
				require.Positive(t, s.calls)
				require.Less(t, s.calls, 12)
				require.Empty(t, log.String())
			})
		})
	}
}

func TestNamesOfEventsAreValid(t *testing.T) {
	event := &corev1.Event{Reason: "Restored"}
	for _, object := range []string{"a", "system-nodes", strings.Repeat("a", 253), strings.Repeat("a", 235) + "-" + strings.Repeat("b", 17), strings.Repeat("a.", 126) + "b"} {
		event.InvolvedObject.Name = object
		require.Empty(t, validation.IsDNS1123Subdomain(name(event)), object)
	}
}
