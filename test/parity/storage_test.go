package parity

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/lane"
	ourhub "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
	ourinstall "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol/install"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/objects"
)

// TestBothReadWhatEarlierReleasesStored stores objects in versions that are not served any more, as
// JSON and as protobuf.
func TestBothReadWhatEarlierReleasesStored(t *testing.T) {
	seed, count := lane.Seed(t), lane.Pick(1_000, 20_000)
	theirs := newTheirs()
	ours := newServer(ourinstall.NewStorageScheme(), ourhub.SchemeGroupVersion, nil)
	wire := protobuf.NewSerializer(theirs.scheme, theirs.scheme)
	read := serializer.NewCodecFactory(theirs.scheme).UniversalDeserializer()
	for _, version := range []string{"v1alpha1", "v1beta1", "v1beta2"} {
		t.Run(version, func(t *testing.T) {
			stored := 0
			for i := range count {
				for _, wildness := range []float64{0, 0.3} {
					g := objects.New(seed, uint64(i), wildness)
					for kind, object := range map[string]runtime.Object{"FlowSchema": g.FlowSchema(), "PriorityLevelConfiguration": g.Level()} {
						data := encodeEarlier(g, object, kind, version)
						requireSameReading(t, theirs, ours, data)
						typed, _, err := read.Decode(data, nil, nil)
						if err != nil {
							continue
						}
						encoded, err := runtime.Encode(wire, typed)
						check(t, err)
						requireSameReading(t, theirs, ours, encoded)
						stored++
					}
				}
			}
			if known := version != "v1alpha1"; known != (stored > count) {
				t.Errorf("kube-apiserver read %d objects", stored)
			}
		})
	}
}

// encodeEarlier encodes an object of v1 as JSON of a version before v1beta3.
func encodeEarlier(g *objects.Generator, object runtime.Object, kind, version string) []byte {
	tree, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		panic(err)
	}
	if g.Chance(0.3) {
		tree["metadata"].(map[string]any)["annotations"] = map[string]any{objects.KeepZeroShares: ""}
	}
	spec, _ := tree["spec"].(map[string]any)
	if limited, ok := spec["limited"].(map[string]any); ok && limited["nominalConcurrencyShares"] != nil {
		limited["assuredConcurrencyShares"] = limited["nominalConcurrencyShares"]
		delete(limited, "nominalConcurrencyShares")
		if g.Chance(0.2) {
			limited["assuredConcurrencyShares"] = int64(0)
		}
	}
	tree["apiVersion"], tree["kind"] = flowcontrolv1.GroupName+"/"+version, kind
	return objects.Encode(tree)
}

// requireSameReading requires that both read the same object, or none.
func requireSameReading(t *testing.T, theirs, ours *server, data []byte) {
	t.Helper()
	want, _, theirErr := theirs.decoder.Decode(data, nil, nil)
	got, _, ourErr := ours.decoder.Decode(data, nil, nil)
	if (theirErr == nil) != (ourErr == nil) {
		t.Fatalf("kube-apiserver: %v, this server: %v\n%q", theirErr, ourErr, data)
	}
	if theirErr != nil {
		return
	}
	expected, actual := theirs.convert(want, flowcontrolv1.SchemeGroupVersion), ours.convert(got, flowcontrolv1.SchemeGroupVersion)
	if !equality.Semantic.DeepEqual(expected, actual) {
		t.Fatalf("-kube-apiserver +this server\n%s\n%s", cmp.Diff(expected, actual), data)
	}
}
