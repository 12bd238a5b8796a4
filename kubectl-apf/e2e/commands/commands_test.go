package commands_test

import (
	"bufio"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/kubectl"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/lane"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint/discovery"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// recording is a kubectl command, and the requests that kubectl sent to kube-apiserver when
// the objects of testdata/objects.yaml existed, and when they did not.
type recording struct {
	command         string
	present, absent []string
}

const recordings = "testdata/requests.txt"

// readRecordings reads the table of commands. Lines begin with $ for a command, + for a
// request if the objects exist, and - for one if they do not.
func readRecordings(t *testing.T) []recording {
	t.Helper()
	file, err := os.Open(recordings)
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	var all []recording
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		kind, text, _ := strings.Cut(lines.Text(), " ")
		switch last := len(all) - 1; kind {
		case "$":
			all = append(all, recording{command: text})
		case "+":
			all[last].present = append(all[last].present, text)
		case "-":
			all[last].absent = append(all[last].absent, text)
		}
	}
	require.NoError(t, lines.Err())
	return all
}

// TestRequestsAreThoseThatKubectlSendsToKubeAPIServer compares the requests that are found without
// a server with the requests that a kube-apiserver received.
func TestRequestsAreThoseThatKubectlSendsToKubeAPIServer(t *testing.T) {
	program := harness.Program(t, binaries.Kubectl)
	all := readRecordings(t)
	require.Greater(t, len(all), 60)
	every, chosen := lane.Pick(3, 1), 0
	all = slices.DeleteFunc(all, func(recording) bool { chosen++; return (chosen-1)%every != 0 })
	found := make([]*kubectl.Requests, len(all))
	var running errgroup.Group
	running.SetLimit(4)
	for i := range all {
		running.Go(func() (err error) {
			found[i], err = kubectl.Command{
				Program: program, Arguments: strings.Fields(all[i].command), Stdin: []byte("y\n"),
				Resources: discovery.BuiltIn(), Environment: os.Environ(), Helper: os.Args[0],
			}.Requests(t.Context())
			return err
		})
	}
	require.NoError(t, running.Wait())
	for i, want := range all {
		t.Run(want.command, func(t *testing.T) {
			assert.Equal(t, want.present, inWorld(t, found[i].Sent, true, want.present), "if the objects exist")
			assert.Equal(t, want.absent, inWorld(t, found[i].Sent, false, want.absent), "if the objects do not exist")
		})
	}
}

// TestMain lets this program be the helper of kubectl.
func TestMain(m *testing.M) {
	if kubectl.IsHelper(os.Args) {
		if err := kubectl.Help(os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// inWorld returns the requests that are sent if the objects of testdata/objects.yaml exist, or
// if they do not, sorted. Lists have the names web and db.
func inWorld(t *testing.T, sent []kubectl.Request, exist bool, recorded []string) []string {
	t.Helper()
	var out []string
	for _, request := range sent {
		if !happens(request.When, exist) {
			continue
		}
		web, db := named(t, request, "web"), named(t, request, "db")
		switch {
		case strings.Contains(request.When, "for each object in the list"):
			out = append(out, web, db)
		case slices.Contains(recorded, db) && !slices.Contains(recorded, web):
			out = append(out, db)
		default:
			out = append(out, web)
		}
	}
	slices.Sort(out)
	return out
}

// named returns a request with the name of an object in a list.
func named(t *testing.T, request kubectl.Request, name string) string {
	t.Helper()
	uri := strings.ReplaceAll(strings.ReplaceAll(request.URI, kubectl.ListedNamespace, "default"), kubectl.Listed, name)
	parsed, err := url.ParseRequestURI(uri)
	require.NoError(t, err)
	return text(t, request.Method, parsed)
}

// happens reports whether a condition holds if the objects exist, or if they do not. Only in
// the first case nothing is cached.
func happens(when string, exist bool) bool {
	for condition := range strings.SplitSeq(when, ", ") {
		switch condition {
		case "the object does not exist", "the list is empty":
			if exist {
				return false
			}
		case "", "again until it is done":
		default:
			if !exist && !strings.HasPrefix(condition, "again for every further") {
				return false
			}
		}
	}
	return true
}
