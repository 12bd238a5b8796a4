package install_test

import (
	"math/rand"
	"testing"

	"github.com/google/go-cmp/cmp"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	flowcontrolv1beta3 "k8s.io/api/flowcontrol/v1beta3"
	"k8s.io/apimachinery/pkg/api/apitesting/fuzzer"
	"k8s.io/apimachinery/pkg/api/apitesting/roundtrip"
	"k8s.io/apimachinery/pkg/api/equality"
	metafuzzer "k8s.io/apimachinery/pkg/apis/meta/fuzzer"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/randfill"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/lane"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
	flowcontrolfuzzer "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol/fuzzer"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol/install"
)

const preserveZeroShares = flowcontrolv1beta3.PriorityLevelPreserveZeroConcurrencySharesKey

// iterations is the number of objects of each kind.
func iterations() int { return lane.Pick(100, 10_000) }

// published returns the types of k8s.io/api.
func published() []runtime.Object {
	return []runtime.Object{
		&flowcontrolv1.FlowSchema{}, &flowcontrolv1.FlowSchemaList{},
		&flowcontrolv1.PriorityLevelConfiguration{}, &flowcontrolv1.PriorityLevelConfigurationList{},
		&flowcontrolv1beta3.FlowSchema{}, &flowcontrolv1beta3.FlowSchemaList{},
		&flowcontrolv1beta3.PriorityLevelConfiguration{}, &flowcontrolv1beta3.PriorityLevelConfigurationList{},
	}
}

// trip is the fixture of a round-trip test.
type trip struct {
	scheme *runtime.Scheme
	codecs serializer.CodecFactory
	filler *randfill.Filler
}

func newTrip(t *testing.T) trip {
	t.Helper()
	scheme := install.NewScheme()
	codecs := serializer.NewCodecFactory(scheme)
	// Explicit zero shares are rare in random values and easily lost.
	zeros := func(serializer.CodecFactory) []any {
		return []any{
			func(limited *flowcontrolv1.LimitedPriorityLevelConfiguration, c randfill.Continue) {
				c.FillNoCustom(limited)
				if c.Bool() {
					limited.NominalConcurrencyShares = ptr.To[int32](0)
				}
			},
			func(level *flowcontrolv1beta3.PriorityLevelConfiguration, c randfill.Continue) {
				c.FillNoCustom(level)
				if level.Spec.Limited != nil && c.Bool() {
					level.Spec.Limited.NominalConcurrencyShares = 0
				}
				if c.Bool() {
					metav1.SetMetaDataAnnotation(&level.ObjectMeta, preserveZeroShares, "")
				}
			},
		}
	}
	funcs := fuzzer.MergeFuzzerFuncs(metafuzzer.Funcs, flowcontrolfuzzer.Funcs, zeros)
	return trip{scheme: scheme, codecs: codecs, filler: fuzzer.FuzzerFor(funcs, rand.NewSource(int64(lane.Seed(t))), codecs)}
}

// fill returns a defaulted object of example's type with random values.
func (trip trip) fill(example runtime.Object) runtime.Object {
	object := example.DeepCopyObject()
	trip.filler.Fill(object)
	trip.scheme.Default(object)
	dropNeedlessAnnotations(object)
	kinds, _, err := trip.scheme.ObjectKinds(object)
	if err != nil {
		panic(err)
	}
	object.GetObjectKind().SetGroupVersionKind(kinds[0])
	return object
}

// dropNeedlessAnnotations removes the annotation of v1beta3 from levels whose shares
// are not zero, as conversion does.
func dropNeedlessAnnotations(object runtime.Object) {
	drop := func(level *flowcontrolv1beta3.PriorityLevelConfiguration) {
		if limited := level.Spec.Limited; limited == nil || limited.NominalConcurrencyShares != 0 {
			delete(level.Annotations, preserveZeroShares)
		}
	}
	switch object := object.(type) {
	case *flowcontrolv1beta3.PriorityLevelConfiguration:
		drop(object)
	case *flowcontrolv1beta3.PriorityLevelConfigurationList:
		for i := range object.Items {
			drop(&object.Items[i])
		}
	}
}

// convert converts as the codecs do: the result may share memory with the object.
func (trip trip) convert(t *testing.T, object runtime.Object, version schema.GroupVersion) runtime.Object {
	t.Helper()
	converted, err := trip.scheme.UnsafeConvertToVersion(object, version)
	if err != nil {
		t.Fatal(err)
	}
	return converted
}

func requireSame(t *testing.T, what string, want, got runtime.Object) {
	t.Helper()
	if !equality.Semantic.DeepEqual(want, got) {
		t.Fatalf("%s changed the object (-before +after):\n%s", what, cmp.Diff(want, got))
	}
}

func TestTheHubSurvivesEveryVersion(t *testing.T) {
	trip := newTrip(t)
	for range iterations() / 20 {
		roundtrip.RoundTripTypes(t, trip.scheme, trip.codecs, trip.filler, nil)
	}
}

func TestEveryVersionSurvivesTheHub(t *testing.T) {
	for _, example := range published() {
		trip := newTrip(t)
		version := trip.fill(example).GetObjectKind().GroupVersionKind()
		t.Run(version.Version+" "+version.Kind, func(t *testing.T) {
			for range iterations() {
				object := trip.fill(example)
				before := object.DeepCopyObject()
				hub := trip.convert(t, object, flowcontrol.SchemeGroupVersion)
				hubBefore := hub.DeepCopyObject()
				requireSame(t, "the hub", before, trip.convert(t, hub, version.GroupVersion()))
				// Converted objects may share memory with a cache.
				requireSame(t, "conversion from the hub", hubBefore, hub)
				requireSame(t, "conversion to the hub", before, object)
			}
		})
	}
}
