package repo

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// vex is what an OpenVEX document must have.
type vex struct {
	Context    string    `json:"@context"`
	ID         string    `json:"@id"`
	Author     string    `json:"author"`
	Timestamp  time.Time `json:"timestamp"`
	Version    int       `json:"version"`
	Statements []struct {
		Vulnerability struct{ Name string }
		Products      []struct {
			ID string `json:"@id"`
		}
		Status          string
		Justification   string
		ImpactStatement string `json:"impact_statement"`
		ActionStatement string `json:"action_statement"`
	}
}

func vexOf(t *testing.T, list string) (document vex) {
	t.Helper()
	script := exec.CommandContext(t.Context(), "hack/openvex.sh", "1.2.3")
	script.Dir = root(t)
	script.Env = append(os.Environ(), "LIST="+list)
	output, err := script.Output()
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(output, &document), string(output))
	return document
}

// TestVulnerabilitiesThatStayAreStatementsOfOpenVEX compares with the fields that version 0.2.0 of the specification
// requires for each status.
func TestVulnerabilitiesThatStayAreStatementsOfOpenVEX(t *testing.T) {
	list := filepath.Join(t.TempDir(), "list")
	require.NoError(t, os.WriteFile(list, []byte("# a comment\nGO-2026-1 imported uses \"x\" & a\\b only\nGO-2026-2 called update when there is a fix\n"), 0o600))
	document := vexOf(t, list)
	assert.Equal(t, "https://openvex.dev/ns/v0.2.0", document.Context)
	assert.NotEmpty(t, document.ID)
	assert.NotEmpty(t, document.Author)
	assert.False(t, document.Timestamp.IsZero())
	assert.Equal(t, 1, document.Version)
	require.Len(t, document.Statements, 2)

	imported, called := document.Statements[0], document.Statements[1]
	assert.Equal(t, "GO-2026-1", imported.Vulnerability.Name)
	assert.Equal(t, "not_affected", imported.Status)
	assert.Equal(t, "vulnerable_code_not_in_execute_path", imported.Justification)
	assert.Equal(t, `uses "x" & a\b only`, imported.ImpactStatement)
	assert.Equal(t, "GO-2026-2", called.Vulnerability.Name)
	assert.Equal(t, "affected", called.Status)
	assert.Empty(t, called.Justification)
	assert.Equal(t, "update when there is a fix", called.ActionStatement)
	for _, statement := range document.Statements {
		require.Len(t, statement.Products, 2)
		assert.Equal(t, "pkg:golang/"+project+"@v1.2.3", statement.Products[0].ID)
		assert.Equal(t, "pkg:golang/"+project+"/kubectl-apf@v1.2.3", statement.Products[1].ID)
	}

	const product = "hack/vulnerabilities.txt"
	assert.Len(t, vexOf(t, filepath.Join(root(t), product)).Statements, strings.Count("\n"+fileText(t, product), "\nGO-"))
}
