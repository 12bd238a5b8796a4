package server

import (
	"context"
	"net"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	genericapiserver "k8s.io/apiserver/pkg/server"
	genericoptions "k8s.io/apiserver/pkg/server/options"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	cliflag "k8s.io/component-base/cli/flag"
	"k8s.io/component-base/logs"
	logsapi "k8s.io/component-base/logs/api/v1"
	"k8s.io/component-base/metrics"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/identity"
)

const (
	defaultDataDir    = ".flowcontrol-apiserver"
	defaultEtcdPrefix = "/registry/" + flowcontrol.GroupName
	defaultPort       = 6443
	// watchTerminationGrace is how long a stop may take to end all watches.
	watchTerminationGrace = 10 * time.Second
)

// Options are the flags. Those that a kube-apiserver has too have its names and
// meanings.
type Options struct {
	// DataDir holds what the server makes for itself: the embedded etcd,
	// certificates and admin.kubeconfig.
	DataDir string

	Run            *genericoptions.ServerRunOptions
	Etcd           *genericoptions.EtcdOptions
	SecureServing  *genericoptions.SecureServingOptionsWithLoopback
	Identity       *identity.Options
	Audit          *genericoptions.AuditOptions
	Features       *genericoptions.FeatureOptions
	Admission      *genericoptions.AdmissionOptions
	APIEnablement  *genericoptions.APIEnablementOptions
	EgressSelector *genericoptions.EgressSelectorOptions
	Traces         *genericoptions.TracingOptions
	Logs           *logsapi.LoggingConfiguration
	Metrics        *metrics.Options

	// FlowControl puts flow control into the server; nil means that of pkg/apf.
	// It is here for comparisons.
	FlowControl func(context.Context, *genericapiserver.Config) error
}

// NewOptions returns the options of a server alone on this machine.
func NewOptions() *Options {
	utilruntime.Must(prepareGates(utilfeature.DefaultMutableFeatureGate))

	serving := genericoptions.NewSecureServingOptions()
	serving.BindAddress = net.IPv4(127, 0, 0, 1)
	serving.BindPort = defaultPort
	serving.Required = true
	serving.ServerCert.CertDirectory = ""
	serving.ServerCert.PairName = "flowcontrol-apiserver"
	// A kube-apiserver in front passes the requests of many on in one connection.
	serving.HTTP2MaxStreamsPerConnection = 1000

	etcd := genericoptions.NewEtcdOptions(storagebackend.NewDefaultConfig(defaultEtcdPrefix, nil))
	// As kube-apiserver stores its objects, which may be in the same etcd.
	etcd.DefaultStorageMediaType = runtime.ContentTypeProtobuf

	run := genericoptions.NewServerRunOptions()
	// Without it each watch under way holds up a stop for a minute.
	run.ShutdownWatchTerminationGracePeriod = watchTerminationGrace

	return &Options{
		DataDir:        defaultDataDir,
		Run:            run,
		Etcd:           etcd,
		SecureServing:  serving.WithLoopback(),
		Identity:       identity.NewOptions(),
		Audit:          genericoptions.NewAuditOptions(),
		Features:       genericoptions.NewFeatureOptions(),
		Admission:      genericoptions.NewAdmissionOptions(),
		APIEnablement:  genericoptions.NewAPIEnablementOptions(),
		EgressSelector: genericoptions.NewEgressSelectorOptions(),
		Traces:         genericoptions.NewTracingOptions(),
		Logs:           logs.NewOptions(),
		Metrics:        metrics.NewOptions(),
	}
}

// Flags returns the flags by theme, in the order in which --help shows them.
func (o *Options) Flags() cliflag.NamedFlagSets {
	var sets cliflag.NamedFlagSets
	sets.FlagSet("alone").StringVar(&o.DataDir, "data-dir", o.DataDir,
		"Directory of what the server makes for itself: without --etcd-servers the embedded etcd, and without a kube-apiserver "+
			"to ask the certificates and admin.kubeconfig. Only its owner can read it; only one server at a time can use it.")
	o.Etcd.AddFlags(sets.FlagSet("etcd"))
	o.SecureServing.AddFlags(sets.FlagSet("secure serving"))
	o.Identity.AddFlags(&sets)
	o.Run.AddUniversalFlags(sets.FlagSet("requests and life"))
	o.APIEnablement.AddFlags(sets.FlagSet("API enablement"))
	o.Admission.AddFlags(sets.FlagSet("admission"))
	o.Audit.AddFlags(sets.FlagSet("auditing"))
	o.Features.AddFlags(sets.FlagSet("features"))
	o.EgressSelector.AddFlags(sets.FlagSet("egress selector"))
	o.Traces.AddFlags(sets.FlagSet("traces"))
	o.Metrics.AddFlags(sets.FlagSet("metrics"))
	logsapi.AddFlags(o.Logs, sets.FlagSet("logs"))
	return sets
}
