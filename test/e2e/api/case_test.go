package api

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
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

// with adds cases.
func (t theme) with(cases ...testCase) theme {
	t.cases = append(t.cases, cases...)
	return t
}

// testCase is a sequence of requests to both servers. Initially only the
// built-in objects exist.
type testCase struct {
	name string
	// steps are executed in order.
	steps []step
	// alone is the reason why the case has no peer, empty if it has one.
	alone string
	// v1Only: the case is not of one version of the group.
	v1Only bool
	// beta: a step names v1beta3. The peer is a kube-apiserver that emulates 1.31.
	beta bool
}

// step is a request, with the requirements of the contract on the answer.
// Everything else is compared: both answers must be equal.
type step struct {
	method, path, body string
	headers            http.Header
	// code is the status code that the contract requires; 0: the peer's.
	code int
	// says and silent are texts that this server's answer must and must not contain.
	says, silent []string
	// keeps maps names for later steps to the places of values in the body.
	keeps map[string]string
	// still requires that the step writes nothing to etcd.
	still bool
	// pick, if set, selects the part of a JSON body that is compared.
	pick func(any) any
	// excuse names the intended difference that pick leaves out.
	excuse string

	// warnings, if set, are all warnings of this server's answer; none if empty.
	warnings *[]string
	// watch is the name of the stream that the step opens or reads.
	watch string
	// events is the number of events to read from the stream.
	events int
}

// ask is a request for a path below the group's v1, or for an absolute path if it
// starts with a slash.
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

// patch is a patch of one type: json, merge, strategic-merge or apply.
func patch(kind, path, body string) step {
	suffix := "+json"
	if kind == "apply" {
		suffix = "+yaml"
	}
	return ask(http.MethodPatch, path, body).with("Content-Type", "application/"+kind+"-patch"+suffix)
}

// open starts a watch; read reads its events.
func open(name, path string) step {
	s := get(path)
	s.watch = name
	return s
}

// read reads the next events of a stream.
func read(name string, events int) step { return step{watch: name, events: events} }

// with sets a header; an empty value removes it.
func (s step) with(name, value string) step {
	s.headers = s.headers.Clone()
	s.headers.Set(name, value)
	if value == "" {
		s.headers.Del(name)
	}
	return s
}

// gives sets the status code that the contract requires.
func (s step) gives(code int) step { s.code = code; return s }

// since reports whether this server is built on a release of k8s.io or on a later one.
func since(release string) bool { return binaries.Base() >= release }

// asPeer leaves the status code to the peer.
func (s step) asPeer() step { s.code = 0; return s }

// saying adds texts that the body of this server's answer must contain.
func (s step) saying(texts ...string) step {
	s.says = append(slices.Clip(s.says), texts...)
	return s
}

// without adds texts that the body of this server's answer must not contain.
func (s step) without(texts ...string) step {
	s.silent = append(slices.Clip(s.silent), texts...)
	return s
}

// warning sets all Warning headers of this server's answer.
func (s step) warning(warnings ...string) step { s.warnings = &warnings; return s }

// keep stores the value at a place of the answer, such as metadata.uid. It
// replaces <name> in the paths and bodies of later steps.
func (s step) keep(name, place string) step {
	keeps := map[string]string{name: place}
	maps.Copy(keeps, s.keeps)
	s.keeps = keeps
	return s
}

// writesNothing requires that etcd's revision does not change.
func (s step) writesNothing() step { s.still = true; return s }

// only compares only a part of the body.
func (s step) only(pick func(any) any) step { s.pick = pick; return s }

// asDiscovered compares a part of a discovery document, without the intended
// differences.
func (s step) asDiscovered(pick func(any) any) step {
	s.excuse = "discovery"
	return s.only(pick)
}
