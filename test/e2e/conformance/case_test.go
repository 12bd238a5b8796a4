package conformance

import (
	"maps"
	"net/http"
	"slices"
	"strings"
)

const (
	groupPath   = "/apis/flowcontrol.apiserver.k8s.io"
	v1Path      = groupPath + "/v1/"
	v1beta3Path = groupPath + "/v1beta3/"
)

// theme is a file of cases.
type theme struct {
	name  string
	cases []testCase
}

// testCase is a conversation that both servers are led through, beginning with
// the built-in objects alone.
type testCase struct {
	name string
	// proves are the ids of the contract's sentences, see sentences_test.go.
	proves []string
	// steps are taken one after another.
	steps []step
	// alone says why there is no peer to ask, empty if there is one.
	alone string
}

// step is a request, and what the contract says of its answer. What it does not
// say, the peer does: the two answers must be the same in all.
type step struct {
	method, path, body string
	headers            http.Header
	// code is the status that the contract wants.
	code int
	// says and silent are texts that our answer holds, and does not hold.
	says, silent []string
	// keeps are names under which later steps find values of the answer, with
	// their places in the body.
	keeps map[string]string
	// still tells that the step writes nothing to etcd.
	still bool
	// pick, if set, takes from a JSON body what is to be compared.
	pick func(any) any
	// excuse names the intended difference that pick leaves out.
	excuse string

	// warnings, if set, are all that our answer has, though there may be none.
	warnings *[]string
	// watch is the name of the stream that the step opens or reads.
	watch string
	// events is how many events are read from the stream, toEnd for all.
	events int
	// socket asks for the watch over WebSocket.
	socket bool
	// compact has etcd forget all versions but the latest.
	compact bool
}

// toEnd reads a stream until the server ends it.
const toEnd = -1

// ask is a request for a path below the group's v1, or for a whole path that
// begins with a slash.
func ask(method, path, body string) step {
	if !strings.HasPrefix(path, "/") {
		path = v1Path + path
	}
	s := step{method: method, path: path, body: body, headers: http.Header{}, code: http.StatusOK}
	if body != "" {
		s.headers.Set("Content-Type", "application/json")
	}
	return s
}

func get(path string) step          { return ask(http.MethodGet, path, "") }
func post(path, body string) step   { return ask(http.MethodPost, path, body).gives(http.StatusCreated) }
func put(path, body string) step    { return ask(http.MethodPut, path, body) }
func remove(path, body string) step { return ask(http.MethodDelete, path, body) }

// patch is a patch of a kind: json, merge, strategic-merge or apply.
func patch(kind, path, body string) step {
	suffix := "+json"
	if kind == "apply" {
		suffix = "+yaml"
	}
	return ask(http.MethodPatch, path, body).with("Content-Type", "application/"+kind+"-patch"+suffix)
}

// open starts a watch; its events are read by read.
func open(name, path string) step {
	s := get(path)
	s.watch = name
	return s
}

// read takes the next events of a stream, or toEnd all there are.
func read(name string, events int) step { return step{watch: name, events: events} }

// compaction has etcd forget all versions but the latest.
func compaction() step { return step{compact: true} }

// with sets a header; an empty value leaves it out.
func (s step) with(name, value string) step {
	s.headers = s.headers.Clone()
	s.headers.Set(name, value)
	if value == "" {
		s.headers.Del(name)
	}
	return s
}

// gives says which status the contract wants.
func (s step) gives(code int) step { s.code = code; return s }

// saying says what our answer's body holds.
func (s step) saying(texts ...string) step {
	s.says = append(slices.Clip(s.says), texts...)
	return s
}

// without says what our answer's body does not hold.
func (s step) without(texts ...string) step {
	s.silent = append(slices.Clip(s.silent), texts...)
	return s
}

// warning says which Warning headers our answer has, and that it has no others.
func (s step) warning(warnings ...string) step { s.warnings = &warnings; return s }

// keep remembers the value at a place of the answer, as metadata.uid, for
// <name> in the paths and bodies of later steps.
func (s step) keep(name, place string) step {
	keeps := map[string]string{name: place}
	maps.Copy(keeps, s.keeps)
	s.keeps = keeps
	return s
}

// writesNothing says that etcd is to stand still.
func (s step) writesNothing() step { s.still = true; return s }

// only compares a part of the body.
func (s step) only(pick func(any) any) step { s.pick = pick; return s }

// asDiscovered compares a part of a discovery document, less what is meant to
// differ in it.
func (s step) asDiscovered(pick func(any) any) step {
	s.excuse = "discovery"
	return s.only(pick)
}
