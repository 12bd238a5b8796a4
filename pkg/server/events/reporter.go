package events

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/record"
	utilclock "k8s.io/utils/clock"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/periodic"
)

const (
	component = "flowcontrol-apiserver"
	// period is the time between two passes.
	period = time.Minute
	// patience is how long a level may be missing in silence.
	patience = time.Minute
	// tolerated is the number of passes in a row with rejections before it is said.
	tolerated = 3
	// repetition is when something that lasts is said again.
	repetition = 30 * time.Minute
	// atOnce bounds the Events of a pass.
	atOnce = 100
)

// Config configures a Reporter.
type Config struct {
	// Sink writes Events, usually to a kube-apiserver.
	Sink record.EventSink
	// Host names this replica in Events about its own requests.
	Host string
	// Schemas and Levels list what is stored, in memory. The objects are read only.
	Schemas func(labels.Selector) ([]*flowcontrolv1.FlowSchema, error)
	Levels  func(labels.Selector) ([]*flowcontrolv1.PriorityLevelConfiguration, error)
	// Rejected returns how many requests were rejected so far, by level.
	Rejected func() map[string]uint64
	Clock    utilclock.WithTicker
}

// Reporter writes Events. Start comes before its other methods.
type Reporter struct {
	config   Config
	recorder record.EventRecorder
	// said is when what lasts was said.
	said map[key]time.Time
	// rejected is what Rejected returned last, and minutes how many passes in a row it grew, by
	// level.
	rejected map[string]uint64
	minutes  map[string]int
}

// key identifies something that lasts.
type key struct {
	object types.UID
	reason string
}

// state is something that lasts.
type state struct {
	object          *corev1.ObjectReference
	reason, message string
}

// New returns a Reporter.
func New(config Config) *Reporter { return &Reporter{config: config} }

// Start makes Events be written until ctx ends.
func (r *Reporter) Start(ctx context.Context) {
	broadcaster := record.NewBroadcaster(record.WithContext(ctx), record.WithCorrelatorOptions(record.CorrelatorOptions{Clock: r.config.Clock}))
	broadcaster.StartRecordingToSink(sink{r.config.Sink})
	r.recorder = broadcaster.NewRecorder(runtime.NewScheme(), corev1.EventSource{Component: component})
}

// Run looks for what lasts, once a minute, until ctx ends.
func (r *Reporter) Run(ctx context.Context) {
	r.pass()
	periodic.Run(ctx, r.config.Clock, period, r.pass)
}

// Recreated says that a built-in object was deleted and is there again.
func (r *Reporter) Recreated(kind string, object metav1.Object) {
	r.recorder.Event(reference(kind, object), corev1.EventTypeWarning, "Recreated", "This built-in object was deleted, and the server created it again.")
}

// Restored says that the spec of a built-in object equals this release's again.
func (r *Reporter) Restored(kind string, object metav1.Object) {
	r.recorder.Event(reference(kind, object), corev1.EventTypeWarning, "Restored", "The spec of this built-in object differed from this release's, and the server restored it. "+
		`To keep changes of an object that is not mandatory, set its annotation `+flowcontrolv1.AutoUpdateAnnotationKey+` to "false".`)
}

// Failed says that a built-in object is not as it should be, or missing.
func (r *Reporter) Failed(kind string, object metav1.Object, err error) {
	r.recorder.Eventf(reference(kind, object), corev1.EventTypeWarning, "NotEnsured", "The server could not create or update this built-in object, and tries again each minute: %v. "+
		"If a webhook or policy denies it, exempt the user system:apiserver there.", err)
}

// pass says what lasts, unless it was said a short time ago.
func (r *Reporter) pass() {
	now, said, events := r.config.Clock.Now(), map[key]time.Time{}, 0
	for _, state := range append(r.missing(now), r.rejecting()...) {
		key := key{state.object.UID, state.reason}
		last := r.said[key] // zero, long ago, if never
		if now.Sub(last) >= repetition && events < atOnce {
			r.recorder.Event(state.object, corev1.EventTypeWarning, state.reason, state.message)
			last = now
			events++
		}
		said[key] = last
	}
	r.said = said
}

// missing returns the FlowSchemas whose levels have been missing for a while.
func (r *Reporter) missing(now time.Time) []state {
	schemas, _ := r.config.Schemas(labels.Everything()) // never fails
	var found []state
	for _, schema := range schemas {
		for _, condition := range schema.Status.Conditions {
			if condition.Type != flowcontrolv1.FlowSchemaConditionDangling || condition.Status != flowcontrolv1.ConditionTrue || now.Sub(condition.LastTransitionTime.Time) < patience {
				continue
			}
			found = append(found, state{reference("FlowSchema", schema), "MissingPriorityLevel",
				fmt.Sprintf("No priority level %q exists, so no request matches this FlowSchema. Create the PriorityLevelConfiguration, or name an existing one.",
					schema.Spec.PriorityLevelConfiguration.Name)})
		}
	}
	return found
}

// rejecting returns the levels that have rejected requests for some passes.
func (r *Reporter) rejecting() []state {
	rejected, minutes := r.config.Rejected(), map[string]int{}
	levels, _ := r.config.Levels(labels.Everything()) // never fails
	var found []state
	for _, level := range levels {
		if r.rejected == nil || rejected[level.Name] <= r.rejected[level.Name] {
			continue
		}
		minutes[level.Name] = min(r.minutes[level.Name]+1, tolerated)
		if minutes[level.Name] == tolerated {
			found = append(found, state{reference("PriorityLevelConfiguration", level), "RejectingRequests",
				fmt.Sprintf("%s has rejected requests of this priority level in each of %d minutes or more. kubectl apf top shows whose requests take its seats.", r.config.Host, tolerated)})
		}
	}
	r.rejected, r.minutes = rejected, minutes
	return found
}

func reference(kind string, object metav1.Object) *corev1.ObjectReference {
	return &corev1.ObjectReference{
		APIVersion: flowcontrolv1.SchemeGroupVersion.String(), Kind: kind, Name: object.GetName(), UID: object.GetUID(), ResourceVersion: object.GetResourceVersion(),
	}
}
