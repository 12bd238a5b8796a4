package filters

import (
	"errors"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/http/httpguts"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/endpoints/handlers"
	"k8s.io/apiserver/pkg/endpoints/handlers/negotiation"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/lane"
)

// patchReader is the library's handler of patches with a namer that notes whether the handler
// has accepted the media type of an apply, which it looks at before.
type patchReader struct {
	handlers.ScopeNamer
	accepted bool
}

func (r *patchReader) Name(*http.Request) (namespace, name string, err error) {
	r.accepted = true
	return "", "", errors.New("not needed")
}

// libraryReadsYAML reports whether the library takes a body of this Content-Type for YAML, in a
// patch or in another write.
func libraryReadsYAML(t *testing.T, codecs serializer.CodecFactory, contentType string) bool {
	t.Helper()
	if info, err := negotiation.NegotiateInputSerializerForMediaType(contentType, false, codecs); err == nil && info.MediaType == runtime.ContentTypeYAML {
		return true
	}
	reader := &patchReader{}
	scope := &handlers.RequestScope{Namer: reader, Serializer: codecs}
	request := httptest.NewRequestWithContext(t.Context(), http.MethodPatch, "/", strings.NewReader(""))
	request.Header.Set("Content-Type", contentType)
	handlers.PatchResource(nil, scope, nil, []string{string(types.ApplyYAMLPatchType)})(httptest.NewRecorder(), request)
	return reader.accepted
}

// requireBounded requires that a body is checked if the library reads it as YAML. It reports
// whether the library does.
func requireBounded(t *testing.T, codecs serializer.CodecFactory, contentType string) bool {
	t.Helper()
	if !httpguts.ValidHeaderFieldValue(contentType) || !libraryReadsYAML(t, codecs, contentType) {
		return false
	}
	_, err := write(t, http.MethodPatch, contentType, "a: &a "+strings.Repeat("x", 100)+"\nb: [*a, *a, *a]\n")
	require.Error(t, err, "%q", contentType)
	return true
}

// hostileContentTypes are headers that parsers read in different ways.
func hostileContentTypes() []string {
	return []string{
		"application/apply-patch+yaml", "application/apply-patch+yaml; a=1; a=2", "application/apply-patch+yaml;;a=b;a=c", "application/apply-patch+yaml; /",
		"application/apply-patch+yaml;application/json", "application/yaml", "APPLICATION/YAML; charset=utf-8", " application/yaml ", "application/yaml; a=1; a=2",
		"application/yaml; charset", "application/json; a=yaml", ";application/yaml", "",
	}
}

// TestABodyIsCheckedHoweverItsTypeIsWritten joins pieces of headers at random. A parameter that
// is there twice was an error of the check's parser, and nothing to the library's handler of patches.
func TestABodyIsCheckedHoweverItsTypeIsWritten(t *testing.T) {
	yaml, codecs := 0, serializer.NewCodecFactory(runtime.NewScheme())
	for _, contentType := range hostileContentTypes() {
		if requireBounded(t, codecs, contentType) {
			yaml++
		}
	}
	require.Equal(t, 8, yaml, "five in a patch, and three in another write")
	random := rand.New(rand.NewPCG(lane.Seed(t), 11))
	pieces := []string{"application/", "apply-patch+", "yaml", "YAML", "json", ";", ";", ",", " ", "\t", "a=1", "a=1", "a*0=b", `"`, "=", "/", "charset=utf-8", "é", "%79aml"}
	for range lane.Pick(3000, 1_000_000) {
		contentType := []string{"application/apply-patch+yaml", "application/yaml", ""}[random.IntN(3)]
		for range random.IntN(6) {
			contentType += pieces[random.IntN(len(pieces))]
		}
		if requireBounded(t, codecs, contentType) {
			yaml++
		}
	}
	assert.Greater(t, yaml, 300)
}

func FuzzContentType(f *testing.F) {
	for _, contentType := range hostileContentTypes() {
		f.Add(contentType)
	}
	codecs := serializer.NewCodecFactory(runtime.NewScheme())
	f.Fuzz(func(t *testing.T, contentType string) { requireBounded(t, codecs, contentType) })
}
