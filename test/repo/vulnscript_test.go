package repo

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// report is what govulncheck writes about a vulnerability at each of its three levels, shortened.
const (
	calledReport   = "=== Symbol Results ===\n\nVulnerability #1: GO-1\n    Panic in a.example\n  Module: a.example\n\n"
	importedReport = "=== Package Results ===\n\nVulnerability #1: GO-2\n    Leak in b.example\n  Module: b.example\n\n"
	requiredReport = "=== Module Results ===\n\nVulnerability #1: GO-3\n    Loop in c.example\n  Module: c.example\n"
)

// TestVulnerabilitiesAreWhatIsListed runs hack/vuln.sh with a govulncheck that reports what each
// case says and writes down how it was asked.
func TestVulnerabilitiesAreWhatIsListed(t *testing.T) {
	const imported = "# A comment.\nGO-2 imported nobody calls it.\n"
	for _, test := range []struct {
		name, report, status, listed string
		code                         int
		says                         string
	}{
		{"as listed", "=== Symbol Results ===\n\nNo vulnerabilities found.\n\n" + importedReport + requiredReport, "0", imported, 0,
			"have what hack/vulnerabilities.txt lists, and nothing else"},
		{"called and listed", calledReport + importedReport, "3", imported + "GO-1 called its input is ours.\n", 0, "nothing else"},
		{"one more is called", calledReport + importedReport, "3", imported, 1, "    Panic in a.example\n  Module: a.example\nvuln: GO-1 is called: raise its module"},
		{"one more is imported", importedReport, "0", "", 1, "vuln: GO-2 is imported: raise its module"},
		{"it was imported, and is called", strings.ReplaceAll(calledReport, "GO-1", "GO-2"), "3", imported, 1, "vuln: GO-2 is called: raise"},
		{"one vanished", requiredReport, "0", imported, 1, "vuln: GO-2 is no longer imported: remove its line from hack/vulnerabilities.txt"},
		{"no reason", importedReport, "0", "GO-2 imported\n", 2, "GO-2 imported\nvuln: the lines above need"},
		{"the database cannot be read", "no such directory\n", "1", imported, 2, "no such directory\nvuln: nothing was checked"},
	} {
		t.Run(test.name, func(t *testing.T) {
			code, output, asked := runVuln(t, test.report, test.status, test.listed)
			require.Equal(t, test.code, code, output)
			assert.Contains(t, output, test.says)
			if test.code == 2 {
				return
			}
			const asks = " go9.8.7 -db file:///db/data/osv -show verbose "
			assert.Equal(t, []string{
				". linux" + asks + "./cmd/flowcontrol-apiserver", ". darwin" + asks + "./cmd/flowcontrol-apiserver",
				"kubectl-apf linux" + asks + ".", "kubectl-apf darwin" + asks + ".", "kubectl-apf windows" + asks + ".",
			}, asked)
		})
	}
}

// runVuln returns the exit code of the script, what it prints, and for each call of govulncheck its
// folder, system, Go and arguments.
func runVuln(t *testing.T, report, status, listed string) (code int, output string, asked []string) {
	t.Helper()
	tree, programs := t.TempDir(), t.TempDir()
	for path, content := range map[string]string{
		filepath.Join(tree, "go.mod"):                        "module m\n\ngo 9.8\n\ntoolchain go9.8.7\n",
		filepath.Join(tree, "kubectl-apf", "go.mod"):         "module m/kubectl-apf\n",
		filepath.Join(tree, "hack", "tools", "checks", "go"): "",
		filepath.Join(tree, "hack", "vulnerabilities.txt"):   listed,
		filepath.Join(tree, "hack", "vuln.sh"):               fileText(t, "hack/vuln.sh"),
		filepath.Join(programs, "report"):                    report,
		filepath.Join(programs, "go"):                        "#!/bin/sh\ncase $* in 'list -m '*golang.org/x/vulndb) echo /db ;; esac\n",
		filepath.Join(tree, "bin", "govulncheck"): "#!/bin/sh\nfolder=${PWD#" + tree + "}\nfolder=${folder#/}\n" +
			"echo \"${folder:-.} $GOOS $GOTOOLCHAIN $*\" >>" + programs + "/asked\ncat " + programs + "/report\nexit " + status + "\n",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(content), 0o755))
	}
	cmd := exec.CommandContext(t.Context(), filepath.Join(tree, "hack", "vuln.sh"))
	cmd.Env = append(os.Environ(), "PATH="+programs+":"+os.Getenv("PATH"))
	combined, err := cmd.CombinedOutput()
	require.NotNil(t, cmd.ProcessState, "%v", err)
	calls, err := os.ReadFile(filepath.Join(programs, "asked"))
	if !os.IsNotExist(err) {
		require.NoError(t, err)
	}
	return cmd.ProcessState.ExitCode(), string(combined), strings.Split(strings.TrimSpace(string(calls)), "\n")
}
