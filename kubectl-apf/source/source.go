// Package source reads what the commands compute their answers from: a configuration
// and the state of the replicas that enforce it.
//
// # Sources
//
//	a cluster        through the kubeconfig; nothing else is set
//	files            Options.Files over the built-in objects of Options.Release:
//	                 Options.Offline
//	files over it    Options.Files over what the cluster has: the configuration that
//	                 the cluster would have if the files were applied
//	saved responses  Options.Dumps: a directory, alone or with files over it
//
// It only reads. What is inferred instead of read is a sentence in Configuration.Notes;
// what could not be read is a replica.Missing with the remedy, and the rest continues.
//
// # Permissions
//
//	get, list   flowschemas, prioritylevelconfigurations (flowcontrol.apiserver.k8s.io)
//	get         nonResourceURLs /metrics, /debug/api_priority_and_fairness/*
//	get         the endpointslice kubernetes (discovery.k8s.io) in the namespace default: to
//	            find the replicas
//	list        namespaces, serviceaccounts, apiservices, validating and mutating
//	            webhook configurations, pods; get services: for Facts and Critical
//	create      subjectaccessreviews (authorization.k8s.io), which are not stored: for May
//
// # Replicas
//
// Priority levels are enforced by each replica of the API server separately, so each one is read:
// the addresses in Options.Servers, or the addresses in the EndpointSlice default/kubernetes, which
// kube-apiserver writes, with the credentials and the TLS server name of the kubeconfig. If
// certificates are not verified, only named servers are read. If none of
// these addresses can be reached from here, as is common for managed clusters, the replica behind
// the load balancer is read, and Missing says so.
package source

import (
	"cmp"
	"context"
	"io"
	"os"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/resource"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/plain"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"
)

// Source is where a command looks. Its errors are sentences, with the remedy. Methods may be called repeatedly,
// and read a cluster again each time.
type Source interface {
	base
	// Files returns the objects of the files alone. It is an error if there are files
	// and none has an object of the group.
	Files() (Files, error)
	// Below returns the base of the files.
	Below(ctx context.Context) (configuration.Configuration, error)
}

// base is the base of the files.
type base interface {
	// Configuration returns the enforced objects, including files. A file that cannot
	// be read is an error here.
	Configuration(ctx context.Context) (configuration.Configuration, error)
	// Replicas returns the state of each replica of the API server, sorted by name.
	// Offline there are none.
	Replicas(ctx context.Context, want Want) ([]replica.Replica, error)
	// Facts returns what is known of the rest of the cluster.
	Facts(ctx context.Context) (Facts, error)
	// May asks the API server whether a service account may send a request. An empty namespace means
	// all. Without an API server the error is ErrNoReviews.
	May(ctx context.Context, account Account, what authorizationv1.ResourceAttributes) (bool, error)
	// Critical returns the name of a pod that runs as a service account with the priority of a critical part of the
	// cluster; "" if there is none. Without an API server the error is ErrNoReviews.
	Critical(ctx context.Context, account Account) (string, error)
}

// Want selects what to read of each replica.
type Want struct {
	Levels, Queues, Requests, Metrics, Flows, Rejections bool
	// Required makes it an error if saved API responses have no replica.
	Required bool
}

// Endpoints returns the endpoints in the order of reading.
func (w Want) Endpoints() []replica.Endpoint {
	wanted := map[replica.Endpoint]bool{
		replica.EndpointLevels:     w.Levels,
		replica.EndpointQueues:     w.Queues,
		replica.EndpointRequests:   w.Requests,
		replica.EndpointMetrics:    w.Metrics,
		replica.EndpointFlows:      w.Flows,
		replica.EndpointRejections: w.Rejections,
	}
	var endpoints []replica.Endpoint
	for _, endpoint := range replica.Endpoints() {
		if wanted[endpoint] {
			endpoints = append(endpoints, endpoint)
		}
	}
	return endpoints
}

// Options say where to look.
type Options struct {
	// Cluster is the cluster, usually *genericclioptions.ConfigFlags. It may be nil
	// with Offline or Dumps.
	Cluster genericclioptions.RESTClientGetter
	// Files are merged over the objects of the cluster, of Dumps or of Release.
	Files resource.FilenameOptions
	// Stdin is read for the file "-"; os.Stdin if nil.
	Stdin io.Reader
	// Offline leaves the cluster alone.
	Offline bool
	// Release is the release of the API server with Offline or Dumps; configuration.Newest
	// if empty. Of a cluster it is read.
	Release configuration.Release
	// Servers are the URLs of the replicas. If empty, they are found. The configuration
	// is read from the first one.
	Servers []string
	// Dumps is a directory of saved API responses, or an archive of one, which is read instead of a cluster.
	Dumps string
	// Total is the number of seats of one replica; 0 if it is to be inferred.
	Total int
	// Bounds are what is read of Dumps; plain.Default if File is 0.
	Bounds plain.Bounds
	// Now is the time; time.Now if nil.
	Now func() time.Time
}

// New returns the source that the options describe.
func New(options Options) (Source, error) {
	if err := options.complete(); err != nil {
		return nil, err
	}
	files := newFileReader(options)
	switch {
	case options.Dumps != "":
		return &overlaid{newSaved(options), files}, nil
	case options.Offline:
		return &overlaid{&builtIn{options: options}, files}, nil
	default:
		return &overlaid{&cluster{options: options}, files}, nil
	}
}

func (o *Options) complete() error {
	switch {
	case o.Offline && len(o.Servers) > 0:
		return sentence("--offline and --server exclude each other: offline, no server is asked.")
	case o.Dumps != "" && len(o.Servers) > 0:
		return sentence("--dumps and --server exclude each other: saved API responses are read instead of a server's.")
	case len(o.Files.Filenames) > 0 && o.Files.Kustomize != "":
		return sentence("-f and -k exclude each other.")
	case o.Files.Kustomize != "" && o.Files.Recursive:
		return sentence("-k and -R exclude each other.")
	case o.Total < 0:
		return sentence("--total is %d: must be positive.", o.Total)
	case !o.Offline && o.Dumps == "" && o.Cluster == nil:
		return sentence("There is neither a cluster nor a directory of saved API responses, and --offline is not set.")
	}
	if o.Release != "" {
		if _, err := configuration.BuiltIn(o.Release); err != nil {
			return sentence("--release: %s.", err)
		}
	}
	if o.Bounds.File == 0 {
		o.Bounds = plain.Default()
	}
	o.Stdin = cmp.Or[io.Reader](o.Stdin, os.Stdin)
	if o.Now == nil {
		o.Now = time.Now
	}
	return nil
}

// overlaid lays files over a base.
type overlaid struct {
	base
	files *fileReader
}

var _ Source = (*overlaid)(nil)

func (o *overlaid) Files() (Files, error) { return o.files.read() }

func (o *overlaid) Below(ctx context.Context) (configuration.Configuration, error) {
	return o.base.Configuration(ctx)
}

func (o *overlaid) Configuration(ctx context.Context) (configuration.Configuration, error) {
	files, err := o.files.read()
	if err == nil {
		err = files.Err() // before the base is read
	}
	if err != nil {
		return configuration.Configuration{}, err
	}
	below, err := o.base.Configuration(ctx)
	if err != nil {
		return configuration.Configuration{}, err
	}
	return files.Over(below)
}
