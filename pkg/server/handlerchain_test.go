package server

import (
	"bytes"
	"flag"
	"fmt"
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
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	genericapiserver "k8s.io/apiserver/pkg/server"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
)

var updateDocs = flag.Bool("update-docs", false, "write the handler chain into ARCHITECTURE.md")

// filterCalls returns the source of the filter calls in the body of a function,
// in order: calls of functions whose names begin with With or Track, and of
// Unauthorized. A function value in an entry of the chain counts as its call.
func filterCalls(t *testing.T, path, function string) (calls []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	require.NoError(t, err)
	at := slices.IndexFunc(file.Decls, func(decl ast.Decl) bool {
		f, ok := decl.(*ast.FuncDecl)
		return ok && f.Name.Name == function
	})
	require.GreaterOrEqual(t, at, 0, "%s has no function %s", path, function)
	ast.Inspect(file.Decls[at], func(node ast.Node) bool {
		if entry, ok := node.(*ast.CompositeLit); ok && len(entry.Elts) == 4 {
			if filter, ok := entry.Elts[3].(*ast.SelectorExpr); ok {
				calls = append(calls, types.ExprString(filter)+"(handler)")
			}
		}
		call, ok := node.(*ast.CallExpr)
		if !ok {
			return true
		}
		switch callee := call.Fun.(type) {
		case *ast.SelectorExpr:
			name := callee.Sel.Name
			if strings.HasPrefix(name, "With") || strings.HasPrefix(name, "Track") || name == "Unauthorized" {
				calls = append(calls, types.ExprString(call))
			}
		case *ast.Ident:
			switch callee.Name {
			case "tracked":
				calls = append(calls, "tracked "+types.ExprString(call.Args[1]))
			case "impersonating":
				calls = append(calls, filterCalls(t, libraryFile(t), "impersonating")...)
			}
		}
		return true
	})
	return calls
}

// libraryChain returns the filters of the library's chain, the outermost first,
// and separately the filters of unauthenticated requests. Each TrackStarted is
// written as tracked.
func libraryChain(t *testing.T) (chain, failed []string) {
	t.Helper()
	calls := filterCalls(t, filepath.Join(goList(t, "-m", "-f", "{{.Dir}}", "k8s.io/apiserver")[0], "pkg", "server", "config.go"), "DefaultBuildHandlerChain")
	require.Greater(t, len(calls), 30)
	for _, call := range calls {
		switch {
		case strings.Contains(call, "Unauthorized(") || strings.Contains(call, "(failedHandler"):
			failed = append(failed, strings.ReplaceAll(call, "failedHandler", "handler"))
		case strings.HasPrefix(call, "filterlatency.TrackStarted(handler, c.TracerProvider, "):
			chain = append(chain, "tracked "+strings.TrimSuffix(strings.TrimPrefix(call, "filterlatency.TrackStarted(handler, c.TracerProvider, "), ")"))
		case call == "filterlatency.TrackCompleted(handler)":
		default:
			chain = append(chain, strings.ReplaceAll(call, "failedHandler", "unauthenticated(c)"))
		}
	}
	slices.Reverse(chain)
	return chain, failed
}

// libraryFile returns the path of the file for the release of k8s.io that is tested.
func libraryFile(t *testing.T) string {
	t.Helper()
	files := goList(t, "-f", "{{range .GoFiles}}{{.}} {{end}}", ".")
	name := files[slices.IndexFunc(files, func(name string) bool { return strings.HasPrefix(name, "library") })]
	if _, err := os.Stat(name); err != nil {
		return filepath.Join("_base", name)
	}
	return name
}

func goList(t *testing.T, arguments ...string) []string {
	t.Helper()
	out, err := exec.Command("go", append([]string{"list"}, arguments...)...).Output()
	require.NoError(t, err)
	return strings.Fields(string(out))
}

// TestChainIsTheLibrarysWithOurFilters fails if an upgrade of the library
// changes its filters, their order or their arguments. handlerchain.go must
// then follow.
func TestChainIsTheLibrarysWithOurFilters(t *testing.T) {
	want, failed := libraryChain(t)
	for _, difference := range []struct{ theirs, ours, why string }{
		{
			"genericfilters.WithPriorityAndFairness(handler, c.LongRunningFunc, c.FlowControl, requestWorkEstimator, c.RequestTimeout / 4)",
			"genericfilters.WithPriorityAndFairness(handler, c.LongRunningFunc, c.FlowControl, libraryEstimator(c), c.RequestTimeout / 4)", "the estimator has a function here",
		},
		{
			"genericapifilters.WithMuxAndDiscoveryComplete(handler, c.lifecycleSignals.MuxAndDiscoveryComplete.Signaled())",
			"", "nobody reads the mark that it sets, see TestNobodyReadsTheMarkOfIncompleteDiscovery",
		},
		{
			"genericfilters.WithWatchTerminationDuringShutdown(handler, c.lifecycleSignals, c.WatchRequestWaitGroup)",
			"genericfilters.WithWatchTerminationDuringShutdown(handler, shutdownSignal(notAccepting(c)), c.WatchRequestWaitGroup)", "the library keeps its signals to itself",
		},
		{
			"genericfilters.WithRetryAfter(handler, c.lifecycleSignals.NotAcceptingNewRequest.Signaled())",
			"genericfilters.WithRetryAfter(handler, notAccepting(c))", "the library keeps its signals to itself",
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
	// The library uses only one of these two; the list has both.
	limit := slices.IndexFunc(want, func(call string) bool { return strings.HasPrefix(call, "genericfilters.WithMaxInFlightLimit(") })
	want = slices.Concat(want[:limit], want[limit+1:limit+3], want[limit:limit+1], want[limit+3:])

	got := slices.DeleteFunc(filterCalls(t, "handlerchain.go", "handlerChain"), func(call string) bool { return strings.HasPrefix(call, "filters.") })
	apf := slices.Index(got, `tracked "priorityandfairness"`)
	got = slices.Delete(got, apf, apf+1) // the call of filter.New
	assert.Equal(t, want, got)
	assert.Equal(t, failed, filterCalls(t, "handlerchain.go", "unauthenticated"))
}

func TestNobodyReadsTheMarkOfIncompleteDiscovery(t *testing.T) {
	const reader = "NoMuxAndDiscoveryIncompleteKey"
	definition, found := filepath.Join("endpoints", "filters", "mux_discovery_complete.go"), false
	for _, dir := range goList(t, "-deps", "-f", "{{if not .Standard}}{{.Dir}}{{end}}", "../../cmd/flowcontrol-apiserver") {
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

func TestDrainingBeginsHalfWayAndRequestsAreAcceptedUntilTheEndOfTheDelay(t *testing.T) {
	for _, delay := range []time.Duration{0, 70 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			initiated := make(chan struct{})
			half, closing := draining(initiated, delay), shutdownSignal(after(initiated, delay)).ShuttingDown()
			<-time.After(time.Hour)
			select {
			case <-closing:
				t.Fatal("nobody has asked the server to stop")
			default:
			}
			close(initiated)
			begin := time.Now()
			<-half
			assert.Equal(t, delay/2, time.Since(begin))
			<-closing
			assert.Equal(t, delay, time.Since(begin))
		})
	}
}

const architecture = "../../ARCHITECTURE.md"

// TestArchitectureShowsTheHandlerChain compares the table in ARCHITECTURE.md
// with the list that the chain is built from.
func TestArchitectureShowsTheHandlerChain(t *testing.T) {
	const begin, end = "<!-- handler chain: made by make update-docs -->\n", "<!-- end of handler chain -->\n"
	page, err := os.ReadFile(architecture)
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(page), begin)
	require.True(t, found)
	_, rest, found = strings.Cut(rest, end)
	require.True(t, found)

	written := before + begin + chainTable() + end + rest
	if *updateDocs {
		require.NoError(t, os.WriteFile(architecture, []byte(written), 0o644))
		return
	}
	assert.Equal(t, string(page), written, "ARCHITECTURE.md is not current: run 'make update-docs'")
}

func chainTable() string {
	c := genericapiserver.NewConfig(serializer.NewCodecFactory(runtime.NewScheme()))
	c.FeatureGate = utilfeature.DefaultFeatureGate
	var table strings.Builder
	table.WriteString("| filter | what it is for |\n|---|---|\n")
	for _, filter := range (&Server{generic: c}).handlerChain(c) {
		fmt.Fprintf(&table, "| `%s` | %s |\n", filter.name, filter.reason)
	}
	return table.String()
}
