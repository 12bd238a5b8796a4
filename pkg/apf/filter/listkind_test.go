package filter

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apiserver/pkg/endpoints/handlers/negotiation"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/estimate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/lane"
)

func TestListsAreOfAKind(t *testing.T) {
	type want = estimate.ListKind
	for _, test := range []struct {
		name, query, header, value string
		change                     func(*apirequest.RequestInfo)
		want                       estimate.ListKind
	}{
		{"of a namespace, from the cache", fromCache, "", "", nil, want{Namespaced: true}},
		{"of all namespaces", fromCache, "", "", func(i *apirequest.RequestInfo) { i.Namespace = "" }, want{}},
		{"a page from etcd", "limit=500&continue=x", "", "", nil, want{Namespaced: true, FromStorage: true, Limit: 500}},
		{"by labels", fromCache + "&labelSelector=a", "", "", nil, want{Namespaced: true, Selector: estimate.LabelSelector}},
		{"by fields", fromCache + "&fieldSelector=a%3Db", "", "", nil, want{Namespaced: true, Selector: estimate.FieldSelector}},
		{"by both", fromCache + "&fieldSelector=a%3Db&labelSelector=a", "", "", nil, want{Namespaced: true, Selector: estimate.BothSelectors}},
		{"by name", fromCache, "", "", func(i *apirequest.RequestInfo) { i.Name = "x" }, want{Namespaced: true, Selector: estimate.OneName}},
		{"as a table", fromCache, "Accept", "application/json;as=Table;v=v1;g=meta.k8s.io", nil, want{Namespaced: true, Whole: true}},
		{"as metadata alone", fromCache, "Accept", "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io", nil, want{Namespaced: true}},
		{"as YAML", fromCache, "Accept", "application/yaml", nil, want{Namespaced: true, Whole: true}},
		{"as CBOR", fromCache, "Accept", "application/cbor", nil, want{Namespaced: true, Whole: true}},
		{"as protobuf", fromCache, "Accept", "application/vnd.kubernetes.protobuf,application/json", nil, want{Namespaced: true}},
		{"indented", fromCache + "&pretty=true", "", "", nil, want{Namespaced: true, Whole: true}},
		{"of a program that gets indented ones", fromCache, "User-Agent", "curl/8.5.0", nil, want{Namespaced: true}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newLearningSite(t)
			r := requestBy(nobody, "list", test.query)
			if test.header != "" {
				r.Header.Set(test.header, test.value)
			}
			if test.change != nil {
				test.change(infoOf(r))
			}
			s.ask(s.before(writing([]byte("{}"), 2)), r)
			rows := s.learnt()
			require.Len(t, rows, 1)
			limit := test.want.Limit
			test.want.Limit = 0
			assert.Equal(t, test.want, rows[0].Kind)
			assert.Equal(t, limit > 0, rows[0].Limits.Min > 0)
		})
	}
}

// anyTransform are the restrictions of an endpoint that converts lists.
type anyTransform struct {
	negotiation.EndpointRestrictions
}

func (anyTransform) AllowsMediaTypeTransform(string, string, *schema.GroupVersionKind) bool {
	return true
}

// TestAListThatTheLibraryEncodesAsAWholeIsTakenForOne joins pieces of Accept at random.
func TestAListThatTheLibraryEncodesAsAWholeIsTakenForOne(t *testing.T) {
	random := rand.New(rand.NewPCG(lane.Seed(t), 12))
	codecs, whole := serializer.NewCodecFactory(runtime.NewScheme()), 0
	pieces := []string{
		"application/json", "application/yaml", "application/YAML", "application/*", "*/*", ";as=Table", ";as=Table;v=v1;g=meta.k8s.io", ";as=table", "; pretty=1", ";pretty=1",
		";PRETTY=1", ",", ", ", ";", ";q=0.5", ";q=0", "=", `"`, " ", "application/apply-patch+yaml", "é",
	}
	for range lane.Pick(5000, 1_000_000) {
		accept := ""
		for range 1 + random.IntN(6) {
			accept += pieces[random.IntN(len(pieces))]
		}
		r := requestBy(nobody, "list", []string{"", "pretty=1", "%70retty=1", "a=pretty"}[random.IntN(4)])
		r.Header.Set("Accept", accept)
		media, info, err := negotiation.NegotiateOutputMediaType(r, codecs, anyTransform{negotiation.DefaultEndpointRestrictions})
		if err != nil {
			continue
		}
		isTable := media.Convert != nil && media.Convert.Kind == "Table"
		if isTable || info.MediaType == runtime.ContentTypeYAML || info.PrettySerializer != nil && info.Serializer == info.PrettySerializer {
			whole++
			require.True(t, isEncodedWhole(r), "%q of %s", accept, r.URL)
		}
	}
	assert.Greater(t, whole, 200)
}
