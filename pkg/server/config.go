package server

import (
	"net"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/features"
	genericoptions "k8s.io/apiserver/pkg/server/options"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	cliflag "k8s.io/component-base/cli/flag"
	"k8s.io/component-base/featuregate"
	logsapi "k8s.io/component-base/logs/api/v1"
	"k8s.io/utils/clock"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/estimate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/filter"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/total"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol/install"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/identity"
)

const (
	// componentName is the name of this server in metrics, /statusz and /flagz.
	componentName     = "flowcontrol-apiserver"
	defaultDataDir    = ".flowcontrol-apiserver"
	defaultEtcdPrefix = "/registry/" + flowcontrol.GroupName
	defaultPort       = 6443
	// defaultMaxExemptRequestsInFlight is several times what controllers and
	// administrators have in flight.
	defaultMaxExemptRequestsInFlight = 2000
	// watchTerminationGrace bounds how long a stop waits for watches to end.
	watchTerminationGrace = 10 * time.Second
)

// Config says how a server runs, in the options of k8s.io/apiserver, with their
// meanings in kube-apiserver.
type Config struct {
	// DataDir is the directory of the embedded etcd, the certificates and
	// admin.kubeconfig. Nothing is written to it if none of these is used.
	DataDir string

	Run           *genericoptions.ServerRunOptions
	Etcd          *genericoptions.EtcdOptions
	Store         *EmbeddedEtcdOptions
	SecureServing *genericoptions.SecureServingOptionsWithLoopback
	// SelfIssuedService is the Service, as NAMESPACE/NAME, for which this server issues its serving
	// certificate, from a CA in a Secret of kube-apiserver; empty if it does not.
	SelfIssuedService string
	Identity          *identity.Options
	Audit             *genericoptions.AuditOptions
	// AuditFlowControl says which requests flow control annotates in audit events.
	AuditFlowControl filter.Annotations
	Features         *genericoptions.FeatureOptions
	Admission        *genericoptions.AdmissionOptions
	APIEnablement    *genericoptions.APIEnablementOptions
	EgressSelector   *genericoptions.EgressSelectorOptions
	Traces           *genericoptions.TracingOptions

	// TotalControl says whether the total of seats, MaxRequestsInFlight plus
	// MaxMutatingRequestsInFlight of Run, follows what the machine can bear.
	TotalControl total.Options

	// ListCost names the estimator of lists.
	ListCost estimate.ListCost

	// Tenants says which flows share their seats as one.
	Tenants rules.Tenants

	// MaxExemptRequestsInFlight bounds the requests of exempt priority levels that execute
	// at once, excluding watches; 0 means no limit. The next one is answered 429, unless it
	// comes from this server or is for health.
	MaxExemptRequestsInFlight int

	// Events says whether Events about the objects are written to the kube-apiserver in
	// front.
	Events bool

	// FlagSets are what /flagz shows; without any there is no /flagz.
	FlagSets cliflag.NamedFlagSets

	// Clock is the source of time for certificates, snapshots, checks, Events and the keeper. The
	// deadlines of requests are on the clock of the machine.
	Clock clock.WithTicker
}

// NewConfig returns the configuration of a server that runs alone on this machine.
// It sets the defaults of the process's feature gates, and panics if they are closed
// because the program has already added them to its flags.
func NewConfig() *Config {
	utilruntime.Must(setFeatureGateDefaults(utilfeature.DefaultMutableFeatureGate))

	serving := genericoptions.NewSecureServingOptions()
	serving.BindAddress = net.IPv4(127, 0, 0, 1)
	serving.BindPort = defaultPort
	serving.Required = true
	serving.ServerCert.CertDirectory = ""
	serving.ServerCert.PairName = "flowcontrol-apiserver"
	// As kube-apiserver. The library recommends 1000 behind one, which sends the requests
	// of many clients over one connection; it opens further ones as needed. With 1000, Go's
	// bound on streams that a client opens and resets comes too late: exempt requests that
	// nobody waits for any more took gigabytes.
	serving.HTTP2MaxStreamsPerConnection = 100

	etcd := genericoptions.NewEtcdOptions(storagebackend.NewDefaultConfig(defaultEtcdPrefix, nil))
	// As kube-apiserver stores its objects, which may be in the same etcd.
	etcd.DefaultStorageMediaType = runtime.ContentTypeProtobuf

	run := genericoptions.NewServerRunOptions()
	// Without it each open watch delays a stop by a minute.
	run.ShutdownWatchTerminationGracePeriod = watchTerminationGrace

	return &Config{
		DataDir:          defaultDataDir,
		Run:              run,
		Etcd:             etcd,
		Store:            NewEmbeddedEtcdOptions(),
		SecureServing:    serving.WithLoopback(),
		Identity:         identity.NewOptions(),
		Audit:            genericoptions.NewAuditOptions(),
		AuditFlowControl: filter.AnnotateGoverned,
		Features:         genericoptions.NewFeatureOptions(),
		Admission:        genericoptions.NewAdmissionOptions(),
		APIEnablement:    genericoptions.NewAPIEnablementOptions(),
		EgressSelector:   genericoptions.NewEgressSelectorOptions(),
		Traces:           genericoptions.NewTracingOptions(),
		TotalControl:     total.Options{Mode: total.Monitor},
		ListCost:         estimate.OwnCost,
		Tenants:          rules.NoTenants,
		Events:           true,
		Clock:            clock.RealClock{},

		MaxExemptRequestsInFlight: defaultMaxExemptRequestsInFlight,
	}
}

// CompletedConfig is a Config with what follows from it. Only Complete makes one.
type CompletedConfig struct{ *completedConfig }

type completedConfig struct {
	*Config

	// EmbeddedEtcd is set if no etcd is named.
	EmbeddedEtcd bool
	// LocalIdentity is set if this server authenticates and authorizes by itself,
	// and no kube-apiserver does.
	LocalIdentity bool
	// scheme has the types of all groups that are served.
	scheme *runtime.Scheme
}

// Complete decides how the server runs. It leaves the Config as it is.
func (c *Config) Complete() CompletedConfig {
	own := *c
	own.Run, own.Identity, own.Admission = copied(c.Run), copied(c.Identity), copied(c.Admission)
	own.SecureServing = copied(c.SecureServing.SecureServingOptions).WithLoopback()
	completed := &completedConfig{Config: &own, EmbeddedEtcd: len(c.Etcd.StorageConfig.Transport.ServerList) == 0, scheme: install.NewScheme()}
	// A pod without any option runs alone, as a process does anywhere else.
	own.Identity.InClusterAllowed = !completed.EmbeddedEtcd
	if completed.LocalIdentity = !own.Identity.Delegated(); completed.LocalIdentity {
		own.Admission.DefaultOffPlugins = c.Admission.DefaultOffPlugins.Union(sets.New(c.Admission.RecommendedPluginOrder...))
		utilruntime.Must(identity.AddSelfReviewsToScheme(completed.scheme))
	}
	if listener := c.SecureServing.Listener; listener != nil {
		if address, ok := listener.Addr().(*net.TCPAddr); ok {
			own.SecureServing.BindAddress, own.SecureServing.BindPort = address.IP, address.Port
		}
	}
	return CompletedConfig{completed}
}

func copied[T any](original *T) *T {
	duplicate := *original
	return &duplicate
}

// advertised returns the config with the address that the server advertises. The library looks for
// a network interface, which a machine that is offline may not have, only if the server binds all
// addresses.
func (c CompletedConfig) advertised() (CompletedConfig, error) {
	completed, bind := copied(c.completedConfig), c.SecureServing.BindAddress
	completed.Config, completed.Run = copied(c.Config), copied(c.Run)
	if completed.Run.AdvertiseAddress == nil && !bind.IsUnspecified() {
		completed.Run.AdvertiseAddress = bind
	}
	return CompletedConfig{completed}, completed.Run.DefaultAdvertiseAddress(c.SecureServing.SecureServingOptions)
}

// authorizesLocally reports whether this server authorizes requests without asking
// another server.
func (c CompletedConfig) authorizesLocally() bool {
	return c.LocalIdentity && c.Identity.Local.AuthorizationWebhookFile == ""
}

// usesDataDir reports whether the server keeps anything in its data directory.
func (c CompletedConfig) usesDataDir() bool { return c.EmbeddedEtcd || c.LocalIdentity }

// setFeatureGateDefaults sets the defaults of this server. The gates are the
// library's, one set for the process, and closed once flags exist for them; so a
// second call changes nothing.
func setFeatureGateDefaults(gates featuregate.MutableVersionedFeatureGate) error {
	if _, added := gates.GetAll()[logsapi.ContextualLogging]; !added {
		if err := logsapi.AddFeatureGates(gates); err != nil {
			return err
		}
	}
	if gates.GetAll()[features.WatchList].Default {
		return nil
	}
	// Watches may request initial events. The library rejects that by default.
	return gates.OverrideDefault(features.WatchList, true)
}
