package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// events come from a run in which TestLucky failed once, in a subtest.
const events = `
{"Action":"output","Package":"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e","Test":"TestLucky/sub","Output":"    process.go:66: started etcd\n"}
{"Action":"fail","Package":"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e","Test":"TestLucky/sub","Elapsed":1}
{"Action":"fail","Package":"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e","Test":"TestLucky","Elapsed":2}
{"Action":"output","Package":"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e","Test":"TestBroken","Output":"    lane.go:42: seed 7; the same choices again, in this folder: SEED=7 go test -count=1 -run '^TestBroken$' .\n"}
{"Action":"fail","Package":"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e","Test":"TestBroken","Elapsed":3}
{"Action":"pass","Package":"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e","Test":"TestFine","Elapsed":4}
{"Action":"fail","Package":"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e","Elapsed":9}
{"Action":"output","Package":"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e","Test":"TestLucky/sub","Output":"    process.go:66: started etcd\n"}
{"Action":"pass","Package":"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e","Test":"TestLucky","Elapsed":2}
{"Action":"fail","Package":"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf","Elapsed":0}
`

func TestReportSaysWhatFailedWhatPassedOnRetryAndHowToRepeatIt(t *testing.T) {
	r := newReport(t.TempDir())
	require.NoError(t, r.read("long-e2e", strings.NewReader(events)))
	text := r.text()
	assert.Contains(t, text, "Failed: ./test/e2e TestBroken\n  repeat: CGO_ENABLED=0 SEED=7 go test -count=1 -tags=long -timeout=2h ./test/e2e -run='^TestBroken$'\n")
	assert.Contains(t, text, "Failed: ./pkg/apf ", "a package that does not compile")
	assert.NotContains(t, text, "Failed: ./test/e2e \n", "its tests say why")
	assert.Contains(t, text, "Passed on retry, a defect to mend: ./test/e2e TestLucky\n")
	assert.Contains(t, text, "      2  etcd\n")
	assert.Contains(t, text, "    4.0  ./test/e2e TestFine\n    3.0  ./test/e2e TestBroken\n")
	assert.True(t, strings.HasSuffix(text, "\n3 tests, 2 failed, 1 passed on retry\n"), text)
	assert.Equal(t, "./test/e2e TestLucky\n", r.retriedText())
}

func TestEachPhaseIsRepeatedInItsWay(t *testing.T) {
	key := testKey{pkg: module + "pkg/lint", test: "TestX"}
	for phase, command := range map[string]string{
		"long-adoption-0.34.13": "make test-adoption ADOPTION=0.34.13",

		"unit":        "CGO_ENABLED=0 go test -count=1 ./pkg/lint -run='^TestX$'",
		"race-others": "CGO_ENABLED=1 go test -count=1 -race ./pkg/lint -run='^TestX$'",
	} {
		key.phase = phase
		assert.Equal(t, command, key.repeat(""))
	}
	for pkg, in := range map[string][2]string{
		"pkg/apf": {"./pkg/apf", "."}, "pkg/apf/engine": {"./pkg/apf", "./engine"}, "test/parity": {"./test/parity", "."}, "hack/lab/chaos": {"./hack/lab", "./chaos"},
	} {
		key := testKey{phase: "race", pkg: module + pkg, test: "TestX"}
		assert.Equal(t, "cd "+in[0]+" && CGO_ENABLED=1 go test -count=1 -race "+in[1]+" -run='^TestX$'", key.repeat(""), "a module of its own")
	}
}

func TestEventsThatAreNoneAreAnError(t *testing.T) {
	require.Error(t, newReport("").read("unit", strings.NewReader("no JSON")))
	require.ErrorContains(t, run(t.TempDir()), "make test")
}
