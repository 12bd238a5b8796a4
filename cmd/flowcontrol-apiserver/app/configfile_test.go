package app

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
	"k8s.io/component-base/version"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/cmd/flowcontrol-apiserver/app/configfile"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/total"
)

const configHeader = "apiVersion: " + configfile.APIVersion + "\nkind: " + configfile.Kind + "\n"

func writeConfigFile(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.yaml")
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

func TestEveryFlagHasAFieldOfItsOwn(t *testing.T) {
	// A value for each type of flag, as a file has it.
	values := map[string]string{
		"bool": "true", "int": "1", "int64": "1", "float32": "0.5", "float64": "0.5", "Level": "1", "quantity": "64Ki",
		"duration": "1s", "string": "x", "ip": "127.0.0.1", "pattern=N,...": "file=2",
		"stringSlice": "[a, b]", "int32Slice": "[23, 29]", "namedCertKey": `["a.crt,a.key", "b.crt,b.key"]`,
		"mapStringString": "{a: b}", "stringToString": "{a: b}",
		// What these two set is kept for the whole process, so it must be valid.
		"emulated-version": `["` + version.DefaultKubeBinaryVersion + `"]`, "min-compatibility-version": `["` + version.DefaultKubeBinaryVersion + `"]`, "feature-gates": "{WatchList: true}",
		"list-cost": "Learned", "flow-control-total": "Static", "audit-flow-control": "All",
	}
	flagOf := make(map[string]string)
	NewCommand(t.Context(), io.Discard).Flags().VisitAll(func(flag *pflag.Flag) {
		switch flag.Name {
		case configfile.FlagName, "version", "help":
			return
		}
		field := configfile.FieldName(flag.Name)
		require.NotContains(t, flagOf, field, "--%s and --%s have one field", flag.Name, flagOf[field])
		flagOf[field] = flag.Name

		value, known := values[flag.Name]
		if !known {
			value, known = values[flag.Value.Type()]
		}
		require.True(t, known, "--%s has type %q, which package configfile does not know", flag.Name, flag.Value.Type())
		flags := NewCommand(t.Context(), io.Discard).Flags()
		require.NoError(t, configfile.Apply(writeConfigFile(t, configHeader+field+": "+value+"\n"), flags))
		require.True(t, flags.Changed(flag.Name), field)
	})
}

func TestTheExampleInTheDocumentIsValid(t *testing.T) {
	options := NewOptions()
	command := NewCommandFor(t.Context(), io.Discard, options)
	require.NoError(t, configfile.Apply(writeConfigFile(t, exampleFile), command.Flags()))
	require.Equal(t, "/var/lib/flowcontrol-apiserver", options.DataDir)
	require.Equal(t, total.Adaptive, options.TotalControl.Mode)
	require.Empty(t, options.Complete().Validate())
}

func TestTheServerStartsWithWhatItsFileSays(t *testing.T) {
	path := writeConfigFile(t, configHeader+"loggingFormat: xml\n")
	_, err := execute(t, "--config="+path)
	require.ErrorContains(t, err, `"xml"`)

	_, err = execute(t, "--config="+path, "--logging-format=csv")
	require.ErrorContains(t, err, `"csv"`, "the flag overrides the field")
}

func TestAFileWithMistakesIsRejected(t *testing.T) {
	path := writeConfigFile(t, configHeader+"securePorts: 1\n")
	_, err := execute(t, "--config="+path)
	require.ErrorContains(t, err, path+`: line 3: unknown field "securePorts"`)
}
