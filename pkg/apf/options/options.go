package options

import (
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/spf13/pflag"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	utilclock "k8s.io/utils/clock"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/estimate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/total"
)

// seatsPerProcessor is the default of Options.Seats for each processor. Requests that wait
// for a backend leave the processor to others, so there are more seats than processors; with
// many more, a request that has a seat would wait for the processor instead, unfairly.
const seatsPerProcessor = 4

// period is the time between two divisions of the seats. With 600 seats nobody notices the ten
// seconds of kube-apiserver; a priority level with three of 16 seats, which lends the rest
// while it is idle, would make its first requests wait that long.
const period = time.Second

// Options are the options of flow control. Create them with NewOptions.
type Options struct {
	// Seats is the total of seats: about how many requests may execute at once. 0 means
	// four for each processor that this process may use.
	Seats int
	// ConfigPath is a file or a folder with manifests of FlowSchemas and
	// PriorityLevelConfigurations; empty: none.
	ConfigPath string
	// FollowCluster makes the objects of kube-apiserver the configuration, if they can be
	// read. It needs the right to list and watch both resources.
	FollowCluster bool
	// ListCost says what lists cost in seats.
	ListCost estimate.ListCost
	// Tenants says which flows share their seats as one.
	Tenants rules.Tenants
	// Adaptive makes the total follow what the machine can bear, between half of Seats and
	// twice Seats.
	Adaptive bool

	// What follows has no flag.

	// Informers are the source of a server that has informers of its own, in place of all others.
	Informers *Informers
	// Total says whether a total is recommended, and whether the total follows that. Adaptive
	// sets its mode.
	Total total.Options
	// Filter has what else a filter does: audit annotations, explanations, a bound on exempt
	// requests. ListCost is the one above. By default Objects and Sizes are of the server.
	Filter apf.FilterOptions
	// Client reads the objects of kube-apiserver, with FollowCluster alone. The default is a client
	// by the ClientConfig of ApplyToRecommended, or else by the service account of the pod.
	Client kubernetes.Interface
	// Clock is the source of time, for tests. The default is the machine's.
	Clock utilclock.WithTickerAndDelayedExecution
}

// Informers are informers of FlowSchemas and PriorityLevelConfigurations, which the server starts,
// and the typed clients of their status. apf.Config says what each is for.
type Informers struct {
	Levels, Schemas cache.SharedIndexInformer
	SchemaPatcher   apf.SchemaPatcher
	LevelGetter     apf.LevelGetter
}

// NewOptions returns the default options: built-in configuration, learned costs of lists, and
// a fixed total by the number of processors.
func NewOptions() *Options {
	return &Options{ListCost: estimate.OwnCost, Tenants: rules.NoTenants, Clock: utilclock.RealClock{}}
}

// AddFlags adds the flags.
func (o *Options) AddFlags(flags *pflag.FlagSet) {
	flags.IntVar(&o.Seats, "flow-control-seats", o.Seats,
		fmt.Sprintf("Total of seats: about how many requests may execute at once. 0 means %d for each processor.", seatsPerProcessor))
	flags.StringVar(&o.ConfigPath, "flow-control-config", o.ConfigPath,
		"File or directory with manifests of FlowSchemas and PriorityLevelConfigurations, in place of the built-in ones: requests that match none are in catch-all. It is read again when it changes.")
	flags.BoolVar(&o.FollowCluster, "flow-control-from-cluster", o.FollowCluster,
		"Apply the FlowSchemas and PriorityLevelConfigurations of kube-apiserver. Until they can be read, the built-in ones apply, and the server is ready.")
	flags.StringVar((*string)(&o.ListCost), "flow-control-list-cost", string(o.ListCost),
		"What lists cost in seats: count (of objects), size (of objects) or learned (the memory that earlier lists took).")
	flags.StringVar((*string)(&o.Tenants), "flow-control-tenants", string(o.Tenants), TenantsHelp)
	flags.BoolVar(&o.Adaptive, "flow-control-adaptive", o.Adaptive,
		"Let the total of seats follow what the machine can bear, between half and twice --flow-control-seats.")
}

// TenantsHelp describes the flag of Options.Tenants.
const TenantsHelp = "Which flows share seats as one tenant: none (each flow is a tenant), or service-account-namespaces (in a flow schema with the distinguisher ByUser, the service accounts of a namespace together get the share of one other user). The service accounts of kube-system are one tenant then, too."

// Validate returns what is wrong with the options. It reads no file.
func (o *Options) Validate() []error {
	if o == nil {
		return nil
	}
	var errs []error
	if o.Seats < 0 {
		errs = append(errs, fmt.Errorf("--flow-control-seats=%d must not be negative", o.Seats))
	}
	if o.Informers != nil && (o.ConfigPath != "" || o.FollowCluster) {
		errs = append(errs, errors.New("informers are the only source of a configuration: leave out --flow-control-config and --flow-control-from-cluster"))
	}
	if err := o.ListCost.Validate(); err != nil {
		errs = append(errs, fmt.Errorf("--flow-control-list-cost=%w", err))
	}
	if err := o.Tenants.Validate(); err != nil {
		errs = append(errs, fmt.Errorf("--flow-control-tenants=%w", err))
	}
	return errs
}

// seats returns the total.
func (o *Options) seats() int {
	if o.Seats > 0 {
		return o.Seats
	}
	return seatsPerProcessor * runtime.GOMAXPROCS(0)
}

// ApplyTo gives the server flow control. It sets c.FlowControl, and makes the handler chain of
// the server, the library's or its own, estimate lists by ListCost. Call it after the other
// options, before c.Complete.
//
// A handler chain of the server's own must have the library's WithPriorityAndFairness, as its
// default chain has, or FlowControl.Filter in its place: otherwise nothing is governed.
//
// It neither reads from the cluster nor waits. A source that cannot be used is no error: it is
// logged, and the built-in configuration is used until the source can be used.
//
// It is an error if c has a FlowControl already, as after ApplyTo of RecommendedOptions: the
// informers of the library's engine cannot be removed again, and the server would not become
// ready without permission to list.
func (o *Options) ApplyTo(c *genericapiserver.Config) error { return o.applyTo(c, nil) }

// ApplyToRecommended is ApplyTo for a server with RecommendedOptions. With FollowCluster, its
// ClientConfig reads the objects of kube-apiserver: --kubeconfig, or the pod's service account.
func (o *Options) ApplyToRecommended(c *genericapiserver.RecommendedConfig) error {
	if c == nil {
		return o.applyTo(nil, nil)
	}
	return o.applyTo(&c.Config, c.ClientConfig)
}

func (o *Options) applyTo(c *genericapiserver.Config, cluster *rest.Config) error {
	if o == nil {
		return nil
	}
	if c == nil {
		return errors.New("flow control needs the configuration of a server")
	}
	if c.FlowControl != nil {
		return fmt.Errorf("the server has flow control already (%T): set Features.EnablePriorityAndFairness to false "+
			"before ApplyTo of RecommendedOptions, and do not pass --enable-priority-and-fairness", c.FlowControl)
	}
	if err := utilerrors.NewAggregate(o.Validate()); err != nil {
		return err
	}
	engine, err := apf.New(o.config())
	if err != nil {
		return err
	}
	f := &FlowControl{FlowControl: engine}
	if o.Informers == nil {
		f.sources = newSources(engine.Apply, o.Clock)
		f.start(o, cluster)
		engine.Registry().MustRegister(f.sources.collectors()...)
	}
	filter := o.Filter
	filter.ListCost = o.ListCost
	f.govern(c, filter)
	c.FlowControl = f
	return nil
}

// config returns the configuration of the engine.
func (o *Options) config() apf.Config {
	config := apf.Config{Total: o.seats(), TotalControl: o.Total, Tenants: o.Tenants, Clock: o.Clock, Period: period}
	if o.Adaptive {
		config.TotalControl.Mode = total.Adaptive
	}
	if from := o.Informers; from != nil {
		config.Levels, config.Schemas = from.Levels, from.Schemas
		config.SchemaPatcher, config.LevelGetter = from.SchemaPatcher, from.LevelGetter
		config.Period = 0 // as the server that they are from
	}
	return config
}
