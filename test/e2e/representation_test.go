package e2e

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/generated/clientset/versioned"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/generated/clientset/versioned/scheme"
)

func testTables(c apiCase) {
	t, s := c.t, c.site
	s.createSchema(t, newSchema("tabled", "absent"))
	level := newLevel("tabled", 7)
	level.Spec.Limited.LimitResponse = flowcontrolv1.LimitResponse{
		Type: flowcontrolv1.LimitResponseTypeQueue, Queuing: &flowcontrolv1.QueuingConfiguration{Queues: 16, HandSize: 4, QueueLengthLimit: 50},
	}
	s.createLevel(t, level)
	s.settle(t)

	for _, test := range []struct {
		name, path string
		columns    []string
		cells      []any // nil: any value
	}{
		{
			"flow schema", "/flowschemas/tabled",
			[]string{"Name", "PriorityLevel", "MatchingPrecedence", "DistinguisherMethod", "Age", "MissingPL"},
			[]any{"tabled", "absent", 500.0, "ByUser", nil, "True"},
		},
		{
			"limited priority level", "/prioritylevelconfigurations/tabled",
			[]string{"Name", "Type", "NominalConcurrencyShares", "Queues", "HandSize", "QueueLengthLimit", "Age"},
			[]any{"tabled", "Limited", 7.0, 16.0, 4.0, 50.0, nil},
		},
		{
			"exempt priority level", "/prioritylevelconfigurations/exempt",
			[]string{"Name", "Type", "NominalConcurrencyShares", "Queues", "HandSize", "QueueLengthLimit", "Age"},
			[]any{"exempt", "Exempt", "<none>", "<none>", "<none>", "<none>", nil},
		},
	} {
		for _, version := range []string{"v1", "v1beta1"} {
			for include, kind := range map[string]string{"None": "", "Metadata": "PartialObjectMetadata", "Object": "?"} {
				answer := s.do(t, http.MethodGet, v1Path+test.path+"?includeObject="+include, "", "Accept: application/json;as=Table;g=meta.k8s.io;v="+version)
				require.Equal(t, http.StatusOK, answer.code, answer.body)
				table := decodeTable(t, answer, version)
				require.Equal(t, test.columns, columns(table), test.name)
				require.Len(t, table.Rows, 1)
				for i, cell := range test.cells {
					if cell != nil {
						require.Equal(t, cell, table.Rows[0].Cells[i], "%s, column %s", test.name, test.columns[i])
					}
				}
				requireRowObject(t, table.Rows[0], kind)
			}
		}
	}

	list := s.do(t, http.MethodGet, v1Path+"/flowschemas", "", "Accept: application/json;as=Table;g=meta.k8s.io;v=v1")
	table := decodeTable(t, list, "v1")
	require.Equal(t, "exempt", table.Rows[0].Cells[0], "first what is matched first")
	require.Equal(t, "catch-all", table.Rows[len(table.Rows)-1].Cells[0])
	require.NotEmpty(t, table.ResourceVersion)

	bad := s.do(t, http.MethodGet, v1Path+"/flowschemas?includeObject=Some", "", "Accept: application/json;as=Table;g=meta.k8s.io;v=v1")
	require.Equal(t, http.StatusBadRequest, bad.code)
	bad.status(t)
}

func decodeTable(t *testing.T, answer reply, version string) metav1.Table {
	t.Helper()
	var table metav1.Table
	answer.decode(t, &table)
	require.Equal(t, metav1.TypeMeta{APIVersion: "meta.k8s.io/" + version, Kind: "Table"}, table.TypeMeta)
	return table
}

func columns(table metav1.Table) []string {
	var names []string
	for _, column := range table.ColumnDefinitions {
		names = append(names, column.Name)
	}
	return names
}

// requireRowObject checks what kind of object comes with a row; "?" is a whole one.
func requireRowObject(t *testing.T, row metav1.TableRow, kind string) {
	t.Helper()
	if kind == "" {
		require.True(t, len(row.Object.Raw) == 0 || string(row.Object.Raw) == "null", "%s", row.Object.Raw)
		return
	}
	var object struct {
		metav1.TypeMeta
		Spec json.RawMessage
	}
	require.NoError(t, json.Unmarshal(row.Object.Raw, &object))
	require.Equal(t, kind == "?", len(object.Spec) > 0, "%s", row.Object.Raw)
	if kind != "?" {
		require.Equal(t, kind, object.Kind)
	}
}

func testPartialMetadata(c apiCase) {
	t, s := c.t, c.site
	schema := s.createSchema(t, newSchema("partial", "catch-all"))
	one := s.do(t, http.MethodGet, v1Path+"/flowschemas/partial", "", "Accept: application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1")
	require.Equal(t, http.StatusOK, one.code)
	var partial metav1.PartialObjectMetadata
	one.decode(t, &partial)
	require.Equal(t, "PartialObjectMetadata", partial.Kind)
	require.Equal(t, schema.UID, partial.UID)
	require.NotContains(t, one.body, `"spec"`)

	many := s.do(t, http.MethodGet, v1beta3Path+"/flowschemas?limit=2", "", "Accept: application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1beta1")
	require.Equal(t, http.StatusOK, many.code)
	var list metav1.PartialObjectMetadataList
	many.decode(t, &list)
	require.Equal(t, "PartialObjectMetadataList", list.Kind)
	require.Len(t, list.Items, 2)
	require.NotEmpty(t, list.Continue)
}

func testEncodings(c apiCase) {
	t, s := c.t, c.site
	encoders := map[string]func(*testing.T, runtime.Object) string{
		"application/json": func(t *testing.T, object runtime.Object) string { t.Helper(); return toJSON(t, object) },
		"application/yaml": func(t *testing.T, object runtime.Object) string {
			t.Helper()
			text, err := yaml.Marshal(object)
			require.NoError(t, err)
			return string(text)
		},
		"application/vnd.kubernetes.protobuf": toProtobuf,
	}
	for sent, encode := range encoders {
		for received := range encoders {
			level := newLevel("encoded", 3)
			answer := s.do(t, http.MethodPost, v1Path+"/prioritylevelconfigurations?dryRun=All", encode(t, level), "Content-Type: "+sent, "Accept: "+received)
			require.Equal(t, http.StatusCreated, answer.code, answer.body)
			require.Equal(t, received, answer.header.Get("Content-Type"))
			object, _, err := scheme.Codecs.UniversalDeserializer().Decode([]byte(answer.body), nil, nil)
			require.NoError(t, err)
			require.Equal(t, level.Spec, object.(*flowcontrolv1.PriorityLevelConfiguration).Spec, "%s, answered in %s", sent, received)
		}
	}

	config := s.Config(t)
	config.ContentType, config.AcceptContentTypes = runtime.ContentTypeProtobuf, runtime.ContentTypeProtobuf
	client, err := versioned.NewForConfig(config)
	require.NoError(t, err)
	list, err := client.FlowcontrolV1().FlowSchemas().List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	require.Contains(t, names(list), "catch-all")
}

// toProtobuf encodes an object as clients do that speak protobuf.
func toProtobuf(t *testing.T, object runtime.Object) string {
	t.Helper()
	info, ok := runtime.SerializerInfoForMediaType(scheme.Codecs.SupportedMediaTypes(), runtime.ContentTypeProtobuf)
	require.True(t, ok)
	content, err := runtime.Encode(scheme.Codecs.EncoderForVersion(info.Serializer, flowcontrolv1.SchemeGroupVersion), object)
	require.NoError(t, err)
	return string(content)
}

func testMediaTypes(c apiCase) {
	t, s := c.t, c.site
	for _, test := range []struct {
		name, method, path, body, header string
		code                             int
	}{
		{"an answer in a type not offered", http.MethodGet, "/flowschemas", "", "Accept: text/html", http.StatusNotAcceptable},
		{"an answer as a kind not offered", http.MethodGet, "/flowschemas", "", "Accept: application/json;as=Poem;g=meta.k8s.io;v=v1", http.StatusNotAcceptable},
		{"a table of a version not offered", http.MethodGet, "/flowschemas", "", "Accept: application/json;as=Table;g=meta.k8s.io;v=v9", http.StatusNotAcceptable},
		{"a body in a type not understood", http.MethodPost, "/flowschemas", "<x/>", "Content-Type: application/xml", http.StatusUnsupportedMediaType},
		{"a body without a sensible type", http.MethodPost, "/flowschemas", "{}", "Content-Type: ;;;", http.StatusUnsupportedMediaType},
		{"a body over the limit", http.MethodPost, "/flowschemas", `{"kind":"` + strings.Repeat("x", 4<<20) + `"}`, "Accept: application/json", http.StatusRequestEntityTooLarge},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			answer := s.do(t, test.method, v1Path+test.path, test.body, test.header)
			require.Equal(t, test.code, answer.code, answer.body)
			answer.status(t)
		})
	}
	second := s.do(t, http.MethodGet, v1Path+"/flowschemas/catch-all", "", "Accept: text/html;q=0.9, application/yaml;q=0.8")
	require.Equal(t, "application/yaml", second.header.Get("Content-Type"), "the best of what both speak")
}

func testCompression(c apiCase) {
	t, s := c.t, c.site
	level := newLevel("large", 1)
	level.Annotations = map[string]string{"text": strings.Repeat("compressible ", 20_000)}
	s.createLevel(t, level)
	answer := s.do(t, http.MethodGet, v1Path+"/prioritylevelconfigurations/large", "", "Accept-Encoding: gzip")
	require.Equal(t, "gzip", answer.header.Get("Content-Encoding"))
	require.Less(t, len(answer.body), 50_000)
	reader, err := gzip.NewReader(strings.NewReader(answer.body))
	require.NoError(t, err)
	plain, err := io.ReadAll(reader)
	require.NoError(t, err)
	var read flowcontrolv1.PriorityLevelConfiguration
	require.NoError(t, json.Unmarshal(plain, &read))
	require.Equal(t, level.Annotations, read.Annotations)
	require.Empty(t, s.do(t, http.MethodGet, v1Path+"/prioritylevelconfigurations/exempt", "", "Accept-Encoding: gzip").header.Get("Content-Encoding"), "small answers are not worth it")
}
