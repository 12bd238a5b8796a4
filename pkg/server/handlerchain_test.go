package server

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// filterCalls lists, as they are written, the calls of filters in the body of a
// function: those whose names begin with With or Track, and Unauthorized. Calls
// of functions of the same file are followed.
func filterCalls(t *testing.T, file *ast.File, function string) (calls []string) {
	t.Helper()
	functions := map[string]*ast.FuncDecl{}
	for _, decl := range file.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil {
			functions[f.Name.Name] = f
		}
	}
	require.Contains(t, functions, function)
	ast.Inspect(functions[function].Body, func(node ast.Node) bool {
		call, ok := node.(*ast.CallExpr)
		if !ok {
			return true
		}
		switch callee := call.Fun.(type) {
		case *ast.SelectorExpr:
			if name := callee.Sel.Name; strings.HasPrefix(name, "With") || strings.HasPrefix(name, "Track") || name == "Unauthorized" {
				calls = append(calls, types.ExprString(call))
			}
		case *ast.Ident:
			if callee.Name == "flowControl" {
				calls = append(calls, types.ExprString(call))
			} else if functions[callee.Name] != nil {
				calls = append(calls, filterCalls(t, file, callee.Name)...)
			}
		}
		return true
	})
	return calls
}

func parse(t *testing.T, path string) *ast.File {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	require.NoError(t, err)
	return file
}

func goList(t *testing.T, arguments ...string) []string {
	t.Helper()
	out, err := exec.Command("go", append([]string{"list"}, arguments...)...).Output()
	require.NoError(t, err)
	return strings.Fields(string(out))
}

// TestChainIsTheLibrarysWithOurFlowControl fails when an upgrade of the library
// changes its filters, their order or what they are given: then handlerchain.go
// must follow.
func TestChainIsTheLibrarysWithOurFlowControl(t *testing.T) {
	module := goList(t, "-m", "-f", "{{.Dir}}", "k8s.io/apiserver")[0]
	want := filterCalls(t, parse(t, filepath.Join(module, "pkg", "server", "config.go")), "DefaultBuildHandlerChain")
	require.Greater(t, len(want), 30)

	for _, difference := range []struct{ theirs, ours, why string }{
		{
			"genericfilters.WithPriorityAndFairness(handler, c.LongRunningFunc, c.FlowControl, requestWorkEstimator, c.RequestTimeout / 4)",
			"flowControl(handler)", "what it is all about",
		},
		{
			"genericfilters.WithMaxInFlightLimit(handler, c.MaxRequestsInFlight, c.MaxMutatingRequestsInFlight, c.LongRunningFunc)",
			"", "without flow control the library's chain is used",
		},
		{
			"genericapifilters.WithMuxAndDiscoveryComplete(handler, c.lifecycleSignals.MuxAndDiscoveryComplete.Signaled())",
			"", "nobody reads the mark that it sets, see TestNobodyReadsTheMarkOfIncompleteDiscovery",
		},
		{
			"genericfilters.WithWatchTerminationDuringShutdown(handler, c.lifecycleSignals, c.WatchRequestWaitGroup)",
			"genericfilters.WithWatchTerminationDuringShutdown(handler, shutdown(closing), c.WatchRequestWaitGroup)", "the library keeps its signals to itself",
		},
		{
			"genericfilters.WithRetryAfter(handler, c.lifecycleSignals.NotAcceptingNewRequest.Signaled())",
			"genericfilters.WithRetryAfter(handler, closing)", "the library keeps its signals to itself",
		},
	} {
		i := slices.Index(want, difference.theirs)
		require.GreaterOrEqual(t, i, 0, "the library has no %s any more (%s)", difference.theirs, difference.why)
		if difference.ours == "" {
			want = slices.Delete(want, i, i+1)
		} else {
			want[i] = difference.ours
		}
	}
	for i := range want {
		want[i] = strings.ReplaceAll(want[i], "failedHandler", "failed")
	}

	assert.Equal(t, want, filterCalls(t, parse(t, "handlerchain.go"), "handlerChain"))
}

func TestNobodyReadsTheMarkOfIncompleteDiscovery(t *testing.T) {
	const reader = "NoMuxAndDiscoveryIncompleteKey"
	definition, found := filepath.Join("endpoints", "filters", "mux_discovery_complete.go"), false
	for _, dir := range goList(t, "-deps", "-f", "{{if not .Standard}}{{.Dir}}{{end}}", "..") {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		require.NoError(t, err)
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			content, err := os.ReadFile(file)
			require.NoError(t, err)
			if !bytes.Contains(content, []byte(reader)) {
				continue
			}
			if strings.HasSuffix(file, definition) {
				found = true
				continue
			}
			t.Errorf("%s reads the mark: put WithMuxAndDiscoveryComplete into the chain", file)
		}
	}
	assert.True(t, found, "the library has no %s any more", reader)
}

func TestRequestsAreAcceptedUntilTheDelayIsOver(t *testing.T) {
	for _, delay := range []time.Duration{0, 70 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			initiated := make(chan struct{})
			closing := shutdown(notAccepting(initiated, delay)).ShuttingDown()
			<-time.After(time.Hour)
			select {
			case <-closing:
				t.Fatal("nobody has asked the server to stop")
			default:
			}
			close(initiated)
			begin := time.Now()
			<-closing
			assert.Equal(t, delay, time.Since(begin))
		})
	}
}
