package scenario

import (
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/names"
)

const (
	// APIVersion is the apiVersion of a scenario.
	APIVersion = names.ScenarioVersion
	// Kind is the kind of a scenario.
	Kind = "Scenario"
)

// Scenario is a file that describes clients.
type Scenario struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string `yaml:"kind"`
	// Duration is how long clients send.
	Duration Duration `yaml:"duration"`
	// Start is when the first client may send; 2026-01-01T00:00:00Z if it is zero.
	Start time.Time `yaml:"start"`
	// Seed decides the random numbers.
	Seed uint64 `yaml:"seed"`
	// Replicas is the number of servers; 1 if it is 0. Each client keeps to one.
	Replicas int `yaml:"replicas"`
	// Stored is what the servers store, by resource, such as "pods" or
	// "deployments.apps".
	Stored  map[string]Stored `yaml:"stored"`
	Clients []Client          `yaml:"clients"`
}

// Stored is what the servers store of a resource.
type Stored struct {
	Objects int64 `yaml:"objects"`
	// Bytes is the average size of an object.
	Bytes int64 `yaml:"bytes"`
}

// Client is a number of equal clients. It has exactly one of Open, Workers, Informer and
// Controller. In its texts, {i} stands for the number of the client, from 0 on.
type Client struct {
	// Name is unique in the scenario.
	Name string `yaml:"name"`
	// Count is the number of clients; 1 if it is 0.
	Count int    `yaml:"count"`
	User  string `yaml:"user"`
	// If Groups are not set, the name of the user implies them.
	Groups []string `yaml:"groups"`
	// UserAgent is Name if it is empty.
	UserAgent string `yaml:"userAgent"`
	// From and Until limit when the client sends. Without Until it ends with the
	// scenario.
	From  Duration `yaml:"from"`
	Until Duration `yaml:"until"`
	// Requests are what the client sends. Open and Workers choose one at random for each
	// request, Controller sends all in this order for each reaction. Informer has exactly
	// one, a list.
	Requests []Request `yaml:"requests"`

	Open       *Open       `yaml:"open"`
	Workers    *Workers    `yaml:"workers"`
	Informer   *Informer   `yaml:"informer"`
	Controller *Controller `yaml:"controller"`
}

// Request is a kind of request.
type Request struct {
	Verb        string `yaml:"verb"`
	APIGroup    string `yaml:"apiGroup"`
	APIVersion  string `yaml:"apiVersion"` // "v1" if it is empty
	Resource    string `yaml:"resource"`
	Subresource string `yaml:"subresource"`
	Namespace   string `yaml:"namespace"`
	Name        string `yaml:"name"`
	Path        string `yaml:"path"`
	List        *List  `yaml:"list"`
	// Weight is how often the request is chosen, relative to the others; 1 if it is 0.
	Weight float64 `yaml:"weight"`
	// Execution is how long the request executes; a watch, until its initial events are sent.
	Execution Distribution `yaml:"execution"`
	// Status is the response code when the server admits the request; 0 means 200, or 201 for a
	// create.
	Status int `yaml:"status"`
}

// List is the options of a list.
type List struct {
	Limit                int64  `yaml:"limit"`
	Continue             bool   `yaml:"continue"`
	LabelSelector        string `yaml:"labelSelector"`
	FieldSelector        string `yaml:"fieldSelector"`
	ResourceVersion      string `yaml:"resourceVersion"`
	ResourceVersionMatch string `yaml:"resourceVersionMatch"`
	SendInitialEvents    *bool  `yaml:"sendInitialEvents"`
}

// Open sends at times that no answer changes. It has exactly one of its fields.
type Open struct {
	Poisson  *Rate     `yaml:"poisson"`
	Constant *Rate     `yaml:"constant"`
	Bursts   *Bursts   `yaml:"bursts"`
	Recorded *Recorded `yaml:"recorded"`
}

// Rate is a number of requests a second, of each client.
type Rate struct {
	Rate float64 `yaml:"rate"`
}

// Bursts are Size requests Every so often, at random times Within the begin of each.
type Bursts struct {
	Every  Duration `yaml:"every"`
	Size   int      `yaml:"size"`
	Within Duration `yaml:"within"`
}

// Recorded sends as many requests as a trace has, times Scale, in each Step.
type Recorded struct {
	// Trace is a file, relative to the scenario's.
	Trace string `yaml:"trace"`
	// User restricts the trace to the requests of one user.
	User  string   `yaml:"user"`
	Scale float64  `yaml:"scale"` // 1 if it is 0
	Step  Duration `yaml:"step"`  // 1s if it is 0

	counts []int64 // of requests in each step
}

// Workers send one request at a time each.
type Workers struct {
	Count int `yaml:"count"` // of each client; 1 if it is 0
	// ThinkTime is from an answer to the next request.
	ThinkTime Distribution `yaml:"thinkTime"`
	Retries   Retries      `yaml:"retries"`
}

// Retries is how a client repeats a rejected request. The zero Retries are as in client-go: it
// honours Retry-After, ten times at most.
type Retries struct {
	// Attempts is how often a request is repeated at most; 10 if it is nil.
	Attempts *int `yaml:"attempts"`
	// IgnoreRetryAfter reports whether the client uses Backoff even if an answer has
	// Retry-After.
	IgnoreRetryAfter bool `yaml:"ignoreRetryAfter"`
	// Backoff is the time before the first repetition, twice as long before each further
	// one, up to a minute. Without it, an answer without Retry-After is not repeated.
	Backoff Duration `yaml:"backoff"`
}

// Informer lists, and then watches. A watch ends after a random time from WatchFor to
// twice that, and is repeated.
type Informer struct {
	WatchFor Duration `yaml:"watchFor"` // 5m if it is 0
	// Relist is the probability, from 0 to 1, that the informer has to list again when a
	// watch ends.
	Relist float64 `yaml:"relist"`
	// WatchList reports whether it watches with sendInitialEvents instead of listing.
	WatchList bool `yaml:"watchList"`
	// Execution is how long a watch executes that sends no initial events.
	Execution Distribution `yaml:"execution"`
}

// Controller reacts to each successful write of other clients.
type Controller struct {
	// ReactsTo are names of clients.
	ReactsTo []string `yaml:"reactsTo"`
	Workers  int      `yaml:"workers"` // 1 if it is 0
	// Delay is from the answer of a write to the reaction.
	Delay   Distribution `yaml:"delay"`
	Retries Retries      `yaml:"retries"`
}
