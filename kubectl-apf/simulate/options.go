package simulate

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/configsync"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
)

// Loop says when clients send, see the package comment.
type Loop string

// The loops.
const (
	Open   Loop = "open"
	Closed Loop = "closed"
)

// Source yields the requests of a trace in order, and io.EOF after the last one.
type Source interface {
	Read(into *trace.Request) error
	Header() trace.Header
	io.Closer
}

// Options are how requests are simulated.
type Options struct {
	// Open opens the trace. It is called three times for each configuration: twice for its
	// beginning, and for all of it.
	Open func() (Source, error)
	// Engine and Loop choose the models; by default Library and Open.
	Engine EngineKind
	Loop   Loop
	// AfterRestart begins with servers that have just started, instead of servers whose limits the
	// beginning of the trace has settled.
	AfterRestart bool
	// Replicas is the number of API servers; 0 for as many as the trace names. Each has
	// the total of the configuration.
	Replicas int
	// Flows is the number of flows of each level in the report; 0 for 10.
	Flows int
	// Progress, unless nil, is called now and then, by one goroutine at a time.
	Progress func(Progress)
}

// Progress is how far a simulation has got.
type Progress struct {
	// Name is the name of the configuration.
	Name string
	// Requests is the number of requests that were simulated, and Of how many the trace
	// has; 0 if it does not say.
	Requests, Of int64
	// Simulated is the virtual time that passed.
	Simulated time.Duration
}

// Baseline is the name of the configuration that a trace was recorded with.
const Baseline = "baseline"

// Candidate is a configuration with a name for the report.
type Candidate struct {
	Name          string
	Configuration configuration.Configuration
	// Without, unless nil, is the trace without the limit of a client, which is simulated instead.
	Without *WithoutLimit
}

// complete returns the options with defaults, or an error that says what is wrong.
func (o Options) complete() (Options, error) {
	o.Engine, o.Loop, o.Flows = cmp.Or(o.Engine, Library), cmp.Or(o.Loop, Open), cmp.Or(o.Flows, 10)
	switch {
	case o.Engine != Library && o.Engine != APF:
		return o, fmt.Errorf("the engine %q is unknown: must be %s or %s", o.Engine, Library, APF)
	case o.Loop != Open && o.Loop != Closed:
		return o, fmt.Errorf("the loop %q is unknown: must be %s or %s", o.Loop, Open, Closed)
	case o.Replicas < 0 || o.Replicas > maxReplicas:
		return o, fmt.Errorf("the number of replicas is %d: must be from 0 to %d", o.Replicas, maxReplicas)
	case o.Flows < 0:
		return o, fmt.Errorf("the number of flows is %d: must not be negative", o.Flows)
	}
	return o, nil
}

// maxReplicas is the largest number of replicas.
const maxReplicas = 100

// total returns the number of seats of one replica.
func total(c configuration.Configuration) int {
	return cmp.Or(max(c.Total, 0), configuration.DefaultTotal)
}

// newReplica returns the flow control of one replica. It is an error if an object is
// invalid.
func newReplica(kind EngineKind, line *timeline, c configuration.Configuration) (flowControl, error) {
	translated, problems := configsync.NewTranslator().Translate(c.PriorityLevels, c.FlowSchemas)
	var control flowControl
	var more []engine.Problem
	var err error
	if kind == APF {
		control, more = newAPF(line, total(c), c.Tenants, translated)
	} else {
		control, more, err = newLibrary(line, total(c), translated)
	}
	if err != nil {
		return nil, err
	}
	if problems = append(problems, more...); len(problems) > 0 {
		texts := make([]string, len(problems))
		for i, p := range problems {
			texts[i] = fmt.Sprintf("%s %q is invalid: %v", p.Kind, p.Name, p.Err)
		}
		return nil, fmt.Errorf("%s", strings.Join(texts, "; "))
	}
	return control, nil
}
