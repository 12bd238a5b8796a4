package filters

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/yaml"
)

const bodyLimit = 300

// write sends a body to an API behind the bound. It returns what the API read, and its error.
func write(t *testing.T, method, media, body string) (seen string, answer error) {
	t.Helper()
	api := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		content, err := io.ReadAll(r.Body)
		seen, answer = string(content), err
	})
	request := httptest.NewRequestWithContext(t.Context(), method, "/", strings.NewReader(body))
	request.Header.Set("Content-Type", media)
	WithBoundedAliases(api, bodyLimit).ServeHTTP(httptest.NewRecorder(), request)
	return seen, answer
}

func TestYAMLAliasesAreBoundedByWhatTheyStandFor(t *testing.T) {
	text := strings.Repeat("x", 100)
	for name, test := range map[string]struct {
		body     string
		rejected bool
	}{
		"one alias":                              {"a: &a " + text + "\nb: *a\n", false},
		"as many as fit":                         {"a: &a " + text[:50] + "\nb: [*a, *a, *a]\n", false},
		"a text named many times":                {"a: &a " + text + "\nb: [*a, *a, *a]\n", true},
		"aliases of aliases":                     {"a: &a [abcd, abcd]\nb: &b [*a, *a, *a]\nc: &c [*b, *b, *b]\nd: [*c, *c, *c]\n", true},
		"a merge":                                {"a: &a {k: " + text + "}\nb: {<<: *a}\nc: {<<: *a}\nd: {<<: *a}\n", true},
		"beside a key that is there twice":       {"a: &a " + text + "\na: 1\nb: [*a, *a, *a]\n", true},
		"of a value with a tag":                  {"a: &a !!str " + text + "\nb: [*a, *a, *a]\n", true},
		"before malformed YAML with a tag":       {"a: &a !!str " + text + "\nb: [*a, *a, *a]\nc: [", true},
		"in a second document, which none reads": {"a: 1\n---\na: &a " + text + "\nb: [*a, *a, *a]\n", false},
		"many nodes, which the library rejects":  {"a: &a [1,2,3,4,5,6,7,8,9,0,1,2,3,4,5,6,7,8,9]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c,*c,*c]\n", false},
		"a node that holds itself":               {"a: &a [*a]\n", false},
		"no alias, but both signs":               {"a: '& *'\n", false},
		"an alias of nothing":                    {"a: *b # &\n", false},
		"no YAML":                                {"a: [& *", false},
		"an anchor that none names":              {"a: &a " + text + " # *\n", false},
	} {
		for _, media := range []string{"application/yaml", "application/yaml; charset=utf-8", "application/apply-patch+yaml"} {
			t.Run(name+", "+media, func(t *testing.T) {
				require.LessOrEqual(t, len(test.body), bodyLimit)
				seen, err := write(t, http.MethodPost, media, test.body)
				if !test.rejected {
					require.NoError(t, err)
					require.Equal(t, test.body, seen, "the API reads the whole body")
					return
				}
				require.True(t, apierrors.IsBadRequest(err), "%v", err)
				require.Regexp(t, "with its aliases expanded, the YAML body has more than 300 bytes|aliases that cannot be followed", err.Error())
			})
		}
	}
	for _, other := range [][2]string{{http.MethodPost, "application/json"}, {http.MethodGet, "application/yaml"}} {
		_, err := write(t, other[0], other[1], `{"a": &a "`+text+`", "b": [*a, *a, *a]}`)
		require.NoError(t, err, "%s", other)
	}
}

func TestABodyOfMoreBytesThanTheBoundIsLeftToTheAPI(t *testing.T) {
	body := "a: " + strings.Repeat("x", bodyLimit)
	seen, err := write(t, http.MethodPost, "application/yaml", body)
	require.NoError(t, err)
	require.Equal(t, body, seen)
}

// A check that reads a body before the API does made the API read on: net/http takes a body that
// ended early for complete in the next read. Half a manifest in YAML may be a valid one.
func TestABodyThatEndsEarlyIsNoWholeBody(t *testing.T) {
	for name, part := range map[string]string{
		"no valid chunk":              "Transfer-Encoding: chunked\r\n\r\nzz\r\n{}",
		"an early end":                "Content-Length: 10\r\n\r\n{}",
		"an early end between chunks": "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			answers := make(chan error, 1)
			server := httptest.NewServer(WithBoundedAliases(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				_, err := io.ReadAll(r.Body)
				answers <- err
			}), bodyLimit))
			defer server.Close()
			connection, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", server.Listener.Addr().String())
			require.NoError(t, err)
			defer func() { _ = connection.Close() }()
			_, err = io.WriteString(connection, "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/yaml\r\n"+part)
			require.NoError(t, err)
			require.NoError(t, connection.(*net.TCPConn).CloseWrite())
			require.Error(t, <-answers)
		})
	}
}

// expansionFactor bounds the bytes of JSON that the library makes of a byte of YAML: a
// control character takes six, and a null of an empty value five.
const expansionFactor = 8

// FuzzAliasesStayWithinTheirBound checks that the library expands no body that passes to
// much more than the limit, whichever way it is written.
func FuzzAliasesStayWithinTheirBound(f *testing.F) {
	for _, body := range []string{
		"a: &a some text that is named twelve times\nb: [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a, *a, *a]\n",
		"a: &a some text that is named twelve times\na: 1\nb: [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a]\n",
		"a: &a !!binary eHh4eHh4eHh4eHh4eHh4\nb: [*a, *a]\n",
		"a: &a [1, 2]\nb: &b [*a, *a]\nc: &c [*b, *b]\nd: {<<: [*c]}\n",
		"%YAML 1.1\n---\na: &a {k: v}\nb:\n  <<: *a\n...\n",
		"? &a |\n  text\n: *a\n",
		"&a [*a]",
	} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		seen, err := write(t, http.MethodPost, "application/yaml", body)
		if err != nil || len(body) > bodyLimit {
			return
		}
		require.Equal(t, body, seen, "the API reads the whole body")
		expanded, err := yaml.YAMLToJSON([]byte(seen))
		if err == nil {
			require.LessOrEqual(t, len(expanded), expansionFactor*bodyLimit, "%s", expanded)
		}
	})
}
