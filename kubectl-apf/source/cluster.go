package source

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"
)

const groupPath = "/apis/" + flowcontrolv1.GroupName

// cluster is a live cluster.
type cluster struct {
	options Options

	// mu guards clients, which are kept so that connections are used again.
	mu      sync.Mutex
	clients map[string]*client
}

var _ base = (*cluster)(nil)

// config returns the kubeconfig's server, or the first of Options.Servers.
func (c *cluster) config() (*rest.Config, error) {
	config, err := c.options.Cluster.ToRESTConfig()
	if err != nil {
		return nil, sentence("The kubeconfig names no cluster: %s.", oneSentence(err))
	}
	if len(c.options.Servers) > 0 {
		config = rest.CopyConfig(config)
		config.Host = c.options.Servers[0]
		return config, nil
	}
	if c.isDefaulted(config) {
		return nil, sentence("There is no kubeconfig that names a cluster: set --kubeconfig or the environment variable KUBECONFIG. With --dumps or --offline no cluster is asked.")
	}
	return config, nil
}

// isDefaulted reports whether the server is the one that client-go assumes if neither
// the kubeconfig nor a flag names one.
func (c *cluster) isDefaulted(config *rest.Config) bool {
	raw, err := c.options.Cluster.ToRawKubeConfigLoader().RawConfig()
	flags, ok := c.options.Cluster.(*genericclioptions.ConfigFlags)
	isFlagSet := ok && ptr.Deref(flags.APIServer, "") != ""
	return err == nil && len(raw.Clusters) == 0 && !isFlagSet && config.Host == "http://localhost:8080"
}

// client returns the client for a configuration, which key names.
func (c *cluster) client(key string, config *rest.Config) (*client, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if existing, ok := c.clients[key]; ok {
		return existing, nil
	}
	created, err := newClient(config)
	if err != nil {
		return nil, err
	}
	if c.clients == nil {
		c.clients = map[string]*client{}
	}
	c.clients[key] = created
	return created, nil
}

// front returns the client of the kubeconfig's server.
func (c *cluster) front() (*client, *rest.Config, error) {
	config, err := c.config()
	if err != nil {
		return nil, nil, err
	}
	front, err := c.client("", config)
	return front, config, err
}

// Configuration reads the objects in the newest version that the server serves.
func (c *cluster) Configuration(ctx context.Context) (configuration.Configuration, error) {
	var out configuration.Configuration
	front, _, err := c.front()
	if err != nil {
		return out, err
	}
	var (
		groupVersion string
		state        replica.Replica
	)
	group, inner := errgroup.WithContext(ctx)
	group.Go(func() error { return c.readRelease(inner, front, &out) })
	group.Go(func() (err error) {
		groupVersion, err = servedVersion(inner, front)
		return err
	})
	if c.options.Total == 0 {
		group.Go(func() error {
			// What cannot be read is in state.Missing.
			_ = front.read(inner, &state, replica.EndpointMetrics)
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return out, err
	}
	if err := c.readObjects(ctx, front, groupVersion, &out); err != nil {
		return out, err
	}
	err = c.setTotal(front, &out, state)
	return out, err
}

// readRelease reads the release of the server.
func (c *cluster) readRelease(ctx context.Context, front *client, out *configuration.Configuration) error {
	var info version.Info
	err := front.getJSON(ctx, "/version", &info)
	if apierrors.IsForbidden(err) {
		out.Release = configuration.Newest
		out.Notes = append(out.Notes, fmt.Sprintf("The release of %s is unknown: %s is assumed. Reading it needs the permission %s.",
			front.name, out.Release, access{verb: "get", path: "/version"}))
		return nil
	}
	if err != nil {
		return requestError(front.name, access{verb: "get", path: "/version"}, err)
	}
	out.Release = configuration.ReleaseOf(info.GitVersion)
	out.Own = isOwn(info)
	switch {
	case out.Release == "":
		return sentence("%s has the version %q, which is not a release of Kubernetes.", front.name, info.GitVersion)
	case out.Release.OlderThan(configuration.Oldest):
		return sentence("Kubernetes %s of %s is older than %s, the oldest release that is supported.",
			out.Release, front.name, configuration.Oldest)
	case configuration.Newest.OlderThan(out.Release):
		out.Notes = append(out.Notes, fmt.Sprintf("Kubernetes %s of %s is newer than %s, the newest release that is known.",
			out.Release, front.name, configuration.Newest))
	}
	return nil
}

// servedVersion returns the version of the group to read: v1, v1beta3 or v1beta2.
func servedVersion(ctx context.Context, front *client) (string, error) {
	var group metav1.APIGroup
	err := front.getJSON(ctx, groupPath, &group)
	if apierrors.IsNotFound(err) {
		return "", sentence("%s does not serve the API group %s: use the kubeconfig of a server that does.",
			front.name, flowcontrolv1.GroupName)
	}
	if err != nil {
		return "", requestError(front.name, access{verb: "get", path: groupPath}, err)
	}
	var served []string
	for _, version := range group.Versions {
		served = append(served, version.Version)
	}
	for _, version := range []string{"v1", "v1beta3", "v1beta2"} {
		if slices.Contains(served, version) {
			return version, nil
		}
	}
	return "", sentence("%s serves %s in the versions %q only: must serve v1, v1beta3 or v1beta2.",
		front.name, flowcontrolv1.GroupName, served)
}

// readObjects reads both kinds in a version.
func (c *cluster) readObjects(ctx context.Context, front *client, version string, out *configuration.Configuration) error {
	decoder := newDecoder()
	var schemas, levels []Object
	group, ctx := errgroup.WithContext(ctx)
	read := func(resource string, into *[]Object) func() error {
		return func() (err error) {
			*into, err = listObjects(ctx, front, decoder, version, resource)
			return err
		}
	}
	group.Go(read("flowschemas", &schemas))
	group.Go(read("prioritylevelconfigurations", &levels))
	if err := group.Wait(); err != nil {
		return err
	}
	all := Files{Objects: slices.Concat(schemas, levels)}
	out.FlowSchemas, out.PriorityLevels = all.FlowSchemas(), all.PriorityLevels()
	return nil
}

func listObjects(ctx context.Context, front *client, decoder *decoder, version, resource string) ([]Object, error) {
	pages, err := front.list(ctx, groupPath+"/"+version+"/"+resource, "application/json", metav1.ListOptions{})
	if err != nil {
		return nil, requestError(front.name, access{verb: "list", resource: resource + "." + flowcontrolv1.GroupName}, err)
	}
	var objects []Object
	for _, page := range pages {
		more, failed, _ := decoder.decodeAll(Place{}, page)
		if len(failed) > 0 {
			return nil, sentence("%s returned an object of %s that cannot be read: %s.",
				front.name, strings.TrimSuffix(resource, "s"), oneSentence(failed[0].Err))
		}
		objects = append(objects, more...)
	}
	return objects, nil
}

// setTotal infers the total from the metrics. Metrics without a level prove that the
// server does not enforce the objects.
func (c *cluster) setTotal(front *client, out *configuration.Configuration, state replica.Replica) error {
	if out.Total = c.options.Total; out.Total > 0 {
		return nil
	}
	if len(state.Missing) == 0 && len(state.Metrics.Levels) == 0 {
		return sentence(
			"%s serves no metrics of flow control: it is turned off there (--enable-priority-and-fairness=false), so nothing is enforced.", front.name)
	}
	total, note := inferTotal(out.PriorityLevels, state.Metrics)
	out.Total = total
	for _, missing := range state.Missing {
		out.Notes = append(out.Notes, missing.What+": "+missing.Why)
	}
	out.Notes = append(out.Notes, note)
	return nil
}
