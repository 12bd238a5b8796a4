// Package tour runs the commands that a section of a document shows in console
// blocks. It compares their output with the document, or writes it there.
//
// A line of a console block that begins with "$ " is a command; the lines up to
// the next command are its output. A command continues on the next line after a
// "\", or until the end of a here-document (<<EOF). All commands of a section run
// in one bash, in order.
package tour

import (
	"bytes"
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// mark separates the outputs of the commands.
const mark = "--- next ---"

// Flag adds the flag -update-docs. With it, Run writes the outputs instead of
// comparing them.
func Flag() *bool {
	return flag.Bool("update-docs", false, "write the outputs of commands into the documents")
}

// Section is a part of a document.
type Section struct {
	// Document is its path, relative to the root of the repository.
	Document string
	// Heading is the first line of the section. The section ends at the next heading
	// of the same level.
	Heading string
	// Dir is where the commands run.
	Dir string
	// Env is added to their environment.
	Env []string
}

// Run runs the commands of a section. It compares their outputs with those shown,
// apart from words that differ between runs; or it writes them there.
func Run(t harness.TB, section Section, update bool) {
	t.Helper()
	path := harness.Path(t, section.Document)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v", err)
	}
	shown, err := parse(string(text), section.Heading)
	if err != nil {
		t.Fatalf("%s: %v", section.Document, err)
	}
	outputs := execute(t, section, shown.commands)
	if update {
		if err := os.WriteFile(path, []byte(shown.render(outputs)), 0o644); err != nil {
			t.Fatalf("%v", err)
		}
		return
	}
	for i, command := range shown.commands {
		if diff := cmp.Diff(shape(shown.output(i)), shape(outputs[i])); diff != "" {
			t.Fatalf("%s, %s: $ %s\nshows what is behind -, prints what is behind + (-update-docs writes the new one):\n%s",
				section.Document, section.Heading, command, diff)
		}
	}
}

// execute runs the commands and returns what each printed.
func execute(t harness.TB, section Section, commands []string) []string {
	t.Helper()
	kubectl := harness.Program(t, binaries.Kubectl)
	var script strings.Builder
	for _, command := range commands {
		script.WriteString(command + "\necho '" + mark + "'\n")
	}
	// A section may wait several times, for example for rollouts.
	ctx, cancel := context.WithTimeout(t.Context(), 3*eventually.Grace)
	defer cancel()
	shell := exec.CommandContext(ctx, "bash")
	shell.Dir = section.Dir
	shell.Env = append(os.Environ(), "HOME="+t.TempDir(), "PATH="+filepath.Dir(kubectl)+":"+os.Getenv("PATH"))
	shell.Env = append(shell.Env, section.Env...)
	shell.Stdin = strings.NewReader(script.String())
	var output bytes.Buffer
	shell.Stdout, shell.Stderr = &output, &output
	shell.WaitDelay = 30 * time.Second // background commands may hold the output open
	if err := shell.Run(); err != nil {
		t.Fatalf("the commands of %s, %s: %v\n%s", section.Document, section.Heading, err, output.String())
	}
	parts := strings.Split(output.String(), mark+"\n")
	if len(parts) != len(commands)+1 {
		t.Fatalf("the commands of %s, %s, ended early:\n%s", section.Document, section.Heading, output.String())
	}
	return parts[:len(commands)]
}

// Part compares a part of a document, which a test makes, with the text; or it writes it there. The
// part begins with <!-- NAME: made by make update-docs --> and ends with <!-- end of NAME -->.
func Part(t harness.TB, document, name, text string, update bool) {
	t.Helper()
	path := harness.Path(t, document)
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v", err)
	}
	begin, end := "<!-- "+name+": made by make update-docs -->\n", "<!-- end of "+name+" -->\n"
	before, rest, opened := strings.Cut(string(page), begin)
	_, after, closed := strings.Cut(rest, end)
	if !opened || !closed {
		t.Fatalf("%s has no place for %s", document, name)
	}
	want := before + begin + text + end + after
	if update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatalf("%v", err)
		}
		return
	}
	if diff := cmp.Diff(string(page), want); diff != "" {
		t.Fatalf("%s, %s: is not current: run 'make update-docs'\n%s", document, name, diff)
	}
}
