package app

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/pflag"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	cliflag "k8s.io/component-base/cli/flag"
	"k8s.io/component-base/logs"
	logsapi "k8s.io/component-base/logs/api/v1"
	"k8s.io/component-base/metrics"
	"k8s.io/utils/clock"
	"sigs.k8s.io/yaml"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/cmd/flowcontrol-apiserver/app/loglimit"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/options"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server"
)

// Options are what flags set: the configuration of the server, and what the
// libraries keep for the whole process. Flags that kube-apiserver has too have its
// names and meanings.
type Options struct {
	*server.Config

	Logs    *logsapi.LoggingConfiguration
	Metrics *metrics.Options
}

// NewOptions returns the options of a server that runs alone on this machine.
func NewOptions() *Options {
	return &Options{Config: server.NewConfig(), Logs: logs.NewOptions(), Metrics: metrics.NewOptions()}
}

// Flags returns the flags by theme, in the order of --help.
func (o *Options) Flags() cliflag.NamedFlagSets {
	var sets cliflag.NamedFlagSets
	sets.FlagSet("standalone").StringVar(&o.DataDir, "data-dir", o.DataDir,
		"Directory of the embedded etcd (without --etcd-servers) and of the issued certificates and admin.kubeconfig (without a "+
			"kube-apiserver in front). Readable by its owner alone, and locked by one server at a time.")
	o.Etcd.AddFlags(sets.FlagSet("etcd"))
	hideUnsupported(sets.FlagSet("etcd"), "etcd-servers-overrides", "lease-reuse-duration-seconds")
	sets.FlagSet("etcd").Lookup("enable-garbage-collector").Usage = "Behind a kube-apiserver, deletions wait for the garbage collector of the cluster " +
		"if the client asks for that. Must match --enable-garbage-collector of kube-controller-manager. Without a kube-apiserver there is none."
	o.Store.AddFlags(sets.FlagSet("etcd"))
	o.SecureServing.AddFlags(sets.FlagSet("secure serving"))
	sets.FlagSet("secure serving").StringVar(&o.SelfIssuedService, "tls-self-issued-service", o.SelfIssuedService,
		"Behind a kube-apiserver, issue and renew the serving certificate for this Service, as NAMESPACE/NAME, instead of reading --tls-cert-file. "+
			"The CA is in the Secret NAME-serving of the namespace, which all replicas share, and which is created if the server may do that. "+
			"Its ca.crt is added to caBundle of the APIServices that name the Service.")
	o.Identity.AddFlags(&sets)
	o.Run.AddUniversalFlags(sets.FlagSet("requests and shutdown"))
	hideUnsupported(sets.FlagSet("requests and shutdown"), "emulation-forward-compatible", "runtime-config-emulation-forward-compatible")
	replaceComponentExamples(sets.FlagSet("requests and shutdown"))
	o.APIEnablement.AddFlags(sets.FlagSet("API enablement"))
	o.Admission.AddFlags(sets.FlagSet("admission"))
	o.Audit.AddFlags(sets.FlagSet("auditing"))
	sets.FlagSet("auditing").StringVar((*string)(&o.AuditFlowControl), "audit-flow-control", string(o.AuditFlowControl),
		"Requests whose audit events get annotations apf.flowcontrol-apiserver.io/{flow-schema,priority-level,flow-distinguisher,"+
			"seats,queue-wait,outcome}: governed (all but requests of exempt priority levels that execute), all, or none. The outcome is executed, "+
			"queue-full, concurrency-limit, time-out or cancelled.")
	o.addTotalFlags(sets.FlagSet("requests and shutdown"))
	sets.FlagSet("requests and shutdown").IntVar(&o.MaxExemptRequestsInFlight, "max-exempt-requests-inflight", o.MaxExemptRequestsInFlight,
		"Largest number of requests of exempt priority levels in flight, excluding watches. The next one is answered 429 with Retry-After, "+
			"unless it comes from this server or is for health. The metric apiserver_flowcontrol_current_executing_requests has the number. 0 means no limit.")
	sets.FlagSet("requests and shutdown").StringVar((*string)(&o.ListCost), "list-cost", string(o.ListCost),
		"What a list costs, and a watch that begins with one: count (a seat for 100 stored objects, as in Kubernetes 1.33), size (a seat for 100,000 "+
			"bytes in memory, by the number of objects and their average size, as in Kubernetes 1.34 and later), or learned (a seat for 100,000 bytes "+
			"in memory, as measured with lists of the same resource, source, scope, selectors and limit; at least the cost by size until three of "+
			"them were measured).")
	sets.FlagSet("requests and shutdown").StringVar((*string)(&o.Tenants), "flow-control-tenants", string(o.Tenants), options.TenantsHelp)
	o.Features.AddFlags(sets.FlagSet("features"))
	sets.FlagSet("features").BoolVar(&o.Events, "events", o.Events,
		"Behind a kube-apiserver, write Events about FlowSchemas and PriorityLevelConfigurations to it, which kubectl describe shows: a priority level that "+
			"is missing, a built-in object that was restored, a level that rejects requests for minutes.")
	o.EgressSelector.AddFlags(sets.FlagSet("egress selector"))
	sets.FlagSet("egress selector").Lookup("egress-selector-config-file").Usage = "File with an EgressSelectorConfiguration: etcd is for connections to --etcd-servers, " +
		"controlplane to the audit webhook and the collector of traces. This server does not use cluster."
	o.Traces.AddFlags(sets.FlagSet("traces"))
	o.Metrics.AddFlags(sets.FlagSet("metrics"))
	logsapi.AddFlags(o.Logs, sets.FlagSet("logs"))
	return sets
}

// addTotalFlags adds the flags about the total of seats.
func (o *Options) addTotalFlags(flags *pflag.FlagSet) {
	flags.StringVar((*string)(&o.TotalControl.Mode), "flow-control-total", string(o.TotalControl.Mode),
		"Whether the total of seats adapts to the load of the machine: static (no), monitor (a total is recommended in the metric "+
			"apiserver_flowcontrol_recommended_total_seats and in the log, but not applied), or adaptive (the recommended total is applied). "+
			"It starts at the sum of --max-requests-inflight and --max-mutating-requests-inflight. It falls, by at most 10 percent in 10 seconds, "+
			"while goroutines wait for processors, memory is near GOMEMLIMIT or the limit of the cgroup, or the processor quota of the cgroup is used up. "+
			"It rises while seats are short and the machine is not.")
	flags.IntVar(&o.TotalControl.Min, "flow-control-total-min", o.TotalControl.Min,
		"Smallest number of seats for --flow-control-total=monitor or adaptive. 0 means half of the initial total.")
	flags.IntVar(&o.TotalControl.Max, "flow-control-total-max", o.TotalControl.Max,
		"Largest number of seats for --flow-control-total=monitor or adaptive. 0 means twice the initial total.")
}

// hideUnsupported hides the library's flags that Validate rejects in every mode.
func hideUnsupported(flags *pflag.FlagSet, names ...string) {
	for _, name := range names {
		flags.Lookup(name).Hidden = true
	}
}

// replaceComponentExamples replaces the introduction of two of the library's flags,
// whose examples are of another server. It keeps the list of options.
func replaceComponentExamples(flags *pflag.FlagSet) {
	for name, introduction := range map[string]string{
		"emulated-version": "Version whose APIs and features to emulate, as major.minor. For example: --emulated-version=kube=1.32.\n",
		"feature-gates":    "Feature gates to enable or disable, comma-separated. Repeatable. For example: --feature-gates=kube:WatchList=true.\n",
	} {
		flag := flags.Lookup(name)
		if _, options, found := strings.Cut(flag.Usage, "Options are:"); found {
			flag.Usage = introduction + "Options are:" + options
		}
	}
}

// applyGlobals sets what the libraries keep for the whole process: feature gates,
// logging, and which metrics are shown.
func (o *Options) applyGlobals() error {
	if err := o.Run.ComponentGlobalsRegistry.Set(); err != nil {
		return err
	}
	if err := o.validateMetrics(); err != nil {
		return err
	}
	o.Metrics.Apply()
	streams := &logsapi.LoggingOptions{ErrorStream: loglimit.New(os.Stderr, clock.RealClock{}), InfoStream: os.Stdout}
	return logsapi.ValidateAndApplyWithOptions(o.Logs, streams, o.Run.ComponentGlobalsRegistry.FeatureGateFor(o.Run.ComponentName))
}

// validateMetrics reads the file of --allow-metric-labels-manifest too. The library only
// logs that it cannot, and panics for a key that names no label.
func (o *Options) validateMetrics() error {
	errs := o.Metrics.Validate()
	if file := o.Metrics.AllowListMappingManifest; file != "" {
		var read metrics.Options
		content, err := os.ReadFile(file)
		if err == nil {
			err = yaml.Unmarshal(content, &read.AllowListMapping)
		}
		if err = errors.Join(append(read.Validate(), err)...); err != nil {
			errs = append(errs, fmt.Errorf("--allow-metric-labels-manifest=%s: must be a file of METRIC,LABEL: VALUE,...: %w", file, err))
		}
	}
	return utilerrors.NewAggregate(errs)
}
