package suite

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/explain"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/source"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/names"
)

const (
	// APIVersion is the apiVersion of a suite.
	APIVersion = names.SuiteVersion
	// Kind is the kind of a suite.
	Kind = "Suite"
)

// Suite is a file of expectations.
type Suite struct {
	APIVersion    string          `json:"apiVersion"`
	Kind          string          `json:"kind"`
	Configuration Configuration   `json:"configuration"`
	Facts         map[string]Fact `json:"facts,omitempty"`
	Cases         []Case          `json:"cases"`

	// path is the file's.
	path string
}

// Configuration is the configuration that a suite tests.
type Configuration struct {
	// Release is the release of Kubernetes whose built-in objects are below Files;
	// configuration.Newest if empty.
	Release configuration.Release `json:"release,omitempty"`
	// Files are files and directories of objects, relative to the suite.
	Files []string `json:"files,omitempty"`
	// Seats is the number of seats of one API server; configuration.DefaultTotal if 0.
	Seats int `json:"seats,omitempty"`
	// Server is who estimates seats; KubeAPIServer if empty.
	Server Server `json:"server,omitempty"`
}

// Server is an API server.
type Server string

// The servers.
const (
	KubeAPIServer        Server = "kube-apiserver"
	FlowControlAPIServer Server = "flowcontrol-apiserver"
)

// Fact is what the server knows about a resource. A number that is not set is not known.
type Fact struct {
	// Objects is the number of objects in all namespaces, Bytes their size together.
	Objects *int64 `json:"objects,omitempty"`
	Bytes   int64  `json:"bytes,omitempty"`
	// Watchers is the number of watches that a write notifies.
	Watchers *int `json:"watchers,omitempty"`
}

// Case is one request and what it must get.
type Case struct {
	Name    string          `json:"name"`
	Request explain.Request `json:"request"`
	Expect  Expectation     `json:"expect"`
}

// Expectation is what a request must get. What is not set is not tested.
type Expectation struct {
	FlowSchema    string `json:"flowSchema,omitempty"`
	PriorityLevel string `json:"priorityLevel,omitempty"`
	// Flow is the flow distinguisher; it may be empty.
	Flow  *string `json:"flow,omitempty"`
	Seats *int    `json:"seats,omitempty"`
}

// Read reads a suite from a file. The error names the file.
func Read(path string) (*Suite, error) {
	s, err := source.ReadFile(path, Parse)
	if err != nil {
		return nil, err
	}
	s.path = path
	return s, nil
}

// Parse reads a suite, whose files are relative to the working directory.
func Parse(content []byte) (*Suite, error) {
	s := &Suite{}
	if err := source.Unmarshal(content, s); err != nil {
		return nil, err
	}
	return s, s.validate()
}

func (s *Suite) validate() error {
	switch {
	case s.APIVersion != APIVersion || s.Kind != Kind:
		return fmt.Errorf("apiVersion is %q and kind is %q: must be %s and %s", s.APIVersion, s.Kind, APIVersion, Kind)
	case s.Configuration.Server != "" && s.Configuration.Server != KubeAPIServer && s.Configuration.Server != FlowControlAPIServer:
		return fmt.Errorf("configuration.server is %q: must be %s or %s", s.Configuration.Server, KubeAPIServer, FlowControlAPIServer)
	case s.Configuration.Seats < 0:
		return fmt.Errorf("configuration.seats is %d: must not be negative", s.Configuration.Seats)
	case len(s.Cases) == 0:
		return errors.New("cases is empty: must have a case")
	}
	first := map[string]int{}
	for i := range s.Cases {
		c := &s.Cases[i]
		other, twice := first[c.Name]
		switch {
		case c.Name == "":
			return fmt.Errorf("cases[%d].name is empty: every case must have a name", i)
		case twice:
			return fmt.Errorf("cases[%d].name is %q, which cases[%d] has too: must be unique", i, c.Name, other)
		case c.Expect == Expectation{}:
			return fmt.Errorf("cases[%d] %q expects nothing: must have flowSchema, priorityLevel, flow or seats", i, c.Name)
		}
		first[c.Name] = i
	}
	return nil
}

// Source returns where the configuration is, for source.New.
func (s *Suite) Source() source.Options {
	files := make([]string, len(s.Configuration.Files))
	for i, file := range s.Configuration.Files {
		files[i] = file
		if !filepath.IsAbs(file) {
			files[i] = filepath.Join(filepath.Dir(s.path), file)
		}
	}
	total := cmp.Or(s.Configuration.Seats, configuration.DefaultTotal)
	options := source.Options{Offline: true, Release: s.Configuration.Release, Total: total}
	options.Files.Filenames, options.Files.Recursive = files, true
	return options
}

// facts returns the facts for package explain.
func (s *Suite) facts() explain.Facts {
	facts := explain.Facts{}
	for name, fact := range s.Facts {
		facts[schema.ParseGroupResource(name)] = replica.Fact{
			Objects: ptr.Deref(fact.Objects, -1), Bytes: fact.Bytes, Watchers: ptr.Deref(fact.Watchers, -1),
		}
	}
	return facts
}
