package configfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
	cliflag "k8s.io/component-base/cli/flag"
)

const header = "apiVersion: " + APIVersion + "\nkind: " + Kind + "\n"

// settings are what the flags of these tests set, one of each type.
type settings struct {
	alone    bool
	port     int
	chance   float64
	timeout  time.Duration
	prefix   string
	servers  []string
	curves   []int32
	claims   map[string]string
	cost     string
	features map[string][]string
}

func newFlags() (*settings, *pflag.FlagSet) {
	s := &settings{servers: []string{"default"}, cost: "count"}
	flags := pflag.NewFlagSet("test", pflag.ContinueOnError)
	flags.BoolVar(&s.alone, "runs-alone", true, "")
	flags.IntVar(&s.port, "secure-port", 6443, "")
	flags.Float64Var(&s.chance, "goaway-chance", 0, "")
	flags.DurationVar(&s.timeout, "request-timeout", time.Minute, "")
	flags.StringVar(&s.prefix, "etcd-prefix", "/registry", "")
	flags.StringSliceVar(&s.servers, "etcd-servers", s.servers, "")
	flags.Int32SliceVar(&s.curves, "tls-curve-preferences", nil, "")
	flags.StringToStringVar(&s.claims, "oidc-required-claim", nil, "")
	flags.Var(cliflag.NewColonSeparatedMultimapStringStringAllowDefaultEmptyKey(&s.features), "feature-gates", "")
	flags.Var(NewEnum(&s.cost, "count", "size", "learned"), "list-cost", "")
	flags.String(FlagName, "", "")
	return s, flags
}

// applied returns the settings after a file with this content and these arguments.
func applied(t *testing.T, content string, args ...string) (*settings, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.yaml")
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	s, flags := newFlags()
	require.NoError(t, flags.Parse(args))
	err := Apply(path, flags)
	if err != nil {
		err = &withoutPathError{strings.ReplaceAll(err.Error(), "--config="+path+": ", "")}
	}
	return s, err
}

type withoutPathError struct{ message string }

func (e *withoutPathError) Error() string { return e.message }

func TestFieldsSetTheFlagsOfEachType(t *testing.T) {
	s, err := applied(t, header+`
runsAlone: false
securePort: 7443
goawayChance: 0.01
requestTimeout: 10s
etcdPrefix: "5"
etcdServers: ["https://a:2379", "https://b:2379,c"]
tlsCurvePreferences: [23, 4588]
oidcRequiredClaim: {tenant: a, level: 3}
featureGates: {WatchList: true, "kube:Other": false}
listCost: Learned
`)
	require.NoError(t, err)
	require.Equal(t, &settings{
		port: 7443, chance: 0.01, timeout: 10 * time.Second, prefix: "5", cost: "learned",
		servers:  []string{"https://a:2379", "https://b:2379,c"},
		curves:   []int32{23, 4588},
		claims:   map[string]string{"tenant": "a", "level": "3"},
		features: map[string][]string{"": {"WatchList=true"}, "kube": {"Other=false"}},
	}, s)
}

func TestAFileMayBeJSON(t *testing.T) {
	s, err := applied(t, `{"apiVersion": "`+APIVersion+`", "kind": "`+Kind+`", "securePort": 7443}`)
	require.NoError(t, err)
	require.Equal(t, 7443, s.port)
}

func TestAFlagOverridesItsField(t *testing.T) {
	s, err := applied(t, header+"securePort: 7443\nrequestTimeout: 10s\netcdServers: [a]\n", "--secure-port=8443", "--etcd-servers=b")
	require.NoError(t, err)
	require.Equal(t, 8443, s.port)
	require.Equal(t, []string{"b"}, s.servers, "not a and b")
	require.Equal(t, 10*time.Second, s.timeout)
}

func TestAnEmptyListReplacesTheDefault(t *testing.T) {
	s, err := applied(t, header+"etcdServers: []\n")
	require.NoError(t, err)
	require.Empty(t, s.servers)
}

func TestMistakesAreReportedWithTheirLines(t *testing.T) {
	for _, test := range []struct{ name, content, want string }{
		{"nothing", "", "the file is empty; it must begin with 'apiVersion: " + APIVersion + "' and 'kind: " + Kind + "'"},
		{"a comment alone", "# later\n", "the file is empty; it must begin with 'apiVersion: " + APIVersion + "' and 'kind: " + Kind + "'"},
		{"a list", "- a\n", "line 1: the file must contain an object, and contains a list"},
		{"no type", "securePort: 1\n", "line 1: apiVersion is missing; it must be " + APIVersion + "\nline 1: kind is missing; it must be " + Kind},
		{"another version", "apiVersion: v2\nkind: " + Kind + "\n", `line 1: apiVersion must be ` + APIVersion + `, and is "v2"`},
		{"another kind", "apiVersion: " + APIVersion + "\nkind: Pod\n", `line 2: kind must be ` + Kind + `, and is "Pod"`},
		{"two documents", header + "---\na: b\n", "line 3: a second document begins; the file must have one"},
		{"an unknown field", header + "colour: red\n", `line 3: unknown field "colour"; a field is named after its flag, as etcdServers after --etcd-servers, and --help lists the flags`},
		{"the name of a flag", header + "etcd-servers: [a]\n", `line 3: unknown field "etcd-servers"; the field is named etcdServers`},
		{"wrong case", header + "etcdservers: [a]\n", `line 3: unknown field "etcdservers"; the field is named etcdServers`},
		{"the file itself", header + "config: x\n", `line 3: unknown field "config"; a field is named after its flag, as etcdServers after --etcd-servers, and --help lists the flags`},
		{"a field twice", header + "securePort: 1\nsecurePort: 2\n", "line 4: securePort is already set in line 3; remove one of them"},
		{"null", header + "securePort:\n", "line 3: securePort must be an integer, and is null"},
		{"text for a number", header + "securePort: many\n", `line 3: securePort must be an integer, and is the string "many"`},
		{"a number in quotes", header + "securePort: '1'\n", `line 3: securePort must be an integer, and is the string "1"`},
		{"a number for a string", header + "etcdPrefix: 1\n", "line 3: etcdPrefix must be a string; put it in quotes, and is 1"},
		{"a number for a boolean", header + "runsAlone: 1\n", "line 3: runsAlone must be true or false, and is 1"},
		{"a string for a list", header + "etcdServers: a,b\n", `line 3: etcdServers must be a list of strings, and is the string "a,b"`},
		{"an element that is no string", header + "etcdServers:\n- a\n- {b: c}\n", "line 5: etcdServers[1] must be a string; put it in quotes, and is an object"},
		{"an element that is no integer", header + "tlsCurvePreferences: [23, x25519]\n", `line 3: tlsCurvePreferences[1] must be an integer, and is the string "x25519"`},
		{"an integer for a list", header + "tlsCurvePreferences: 23\n", "line 3: tlsCurvePreferences must be a list of integers, and is 23"},
		{"no integers", header + "tlsCurvePreferences: []\n", "line 3: tlsCurvePreferences must not be empty; remove it to have the default"},
		{"a list for an object", header + "featureGates: [A=true]\n", "line 3: featureGates must be an object, and is a list"},
		{"an entry without a value", header + "featureGates:\n  A:\n", "line 4: featureGates[A] must be a string, a number, true or false, and is null"},
		{"an entry twice", header + "featureGates:\n  A: true\n  A: false\n", "line 5: featureGates[A] is set twice; remove one of them"},
		{"an object without entries", header + "featureGates: {}\n", "line 3: featureGates must not be empty; remove it to have the default"},
		{"the word of a flag", header + "listCost: learned\n", `line 3: listCost must be Count, Size or Learned, and is the string "learned"`},
		{"a time without a unit", header + "requestTimeout: '10'\n", `line 3: requestTimeout: invalid value "10": time: missing unit in duration "10"`},
		{"two mistakes", header + "securePort: x\ncolour: red\n", `line 3: securePort must be an integer, and is the string "x"` + "\n" +
			`line 4: unknown field "colour"; a field is named after its flag, as etcdServers after --etcd-servers, and --help lists the flags`},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := applied(t, test.content)
			require.EqualError(t, err, test.want)
		})
	}
}

func TestSyntaxErrorsNameTheLine(t *testing.T) {
	_, err := applied(t, header+"a: [\n")
	require.ErrorContains(t, err, "the file is neither YAML nor JSON: yaml: line 3")
}

func TestAMissingFileIsNamed(t *testing.T) {
	_, flags := newFlags()
	require.ErrorContains(t, Apply("/does/not/exist.yaml", flags), "--config: open /does/not/exist.yaml")
}

func TestReferencesAreFollowed(t *testing.T) {
	s, err := applied(t, header+"etcdServers: &servers [a]\nsecurePort: 1\n")
	require.NoError(t, err)
	require.Equal(t, []string{"a"}, s.servers)

	_, err = applied(t, header+"etcdPrefix: &x /here\nrequestTimeout: *x\n")
	require.ErrorContains(t, err, `requestTimeout: invalid value "/here"`)
}

func FuzzAnyFileIsAppliedOrRejected(f *testing.F) {
	f.Add(header + "securePort: 1\n")
	f.Add(header + "etcdServers: [a, *b]\n")
	f.Add("&a [*a]")
	f.Fuzz(func(_ *testing.T, content string) {
		top, err := parse([]byte(content))
		if err == nil {
			_, flags := newFlags()
			_ = apply(top, flags)
		}
	})
}
