package source

import (
	"context"
	"fmt"
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	discoveryv1 "k8s.io/api/discovery/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"
)

// dialTimeout limits connecting to an address that was found. It may not be reachable from here.
const dialTimeout = 2 * time.Second

// Replicas reads all replicas in parallel.
func (c *cluster) Replicas(ctx context.Context, want Want) ([]replica.Replica, error) {
	if len(c.options.Servers) > 0 {
		return c.readServers(ctx, want)
	}
	front, config, err := c.front()
	if err != nil {
		return nil, err
	}
	addresses, missing := c.findReplicas(ctx, front, config)
	if len(addresses) < 2 {
		return c.readFront(ctx, front, want, missing)
	}
	base, _, err := rest.DefaultServerUrlFor(config)
	if err != nil {
		return nil, sentence("The kubeconfig is invalid: %s.", oneSentence(err))
	}
	states, err := c.readAll(ctx, addresses, config, want, func(one *rest.Config, address string) {
		one.Host = "https://" + address
		if one.ServerName == "" && !one.Insecure { // it must have the certificate of the kubeconfig's server
			one.ServerName = base.Hostname()
		}
		one.Dial = (&net.Dialer{Timeout: dialTimeout}).DialContext
	})
	if err != nil || isAnyThere(states) {
		return states, err
	}
	return c.readFront(ctx, front, want, &replica.Missing{What: "replicas", Why: fmt.Sprintf(
		"None of the %d addresses of the API server can be reached from here: these are the figures of the one replica behind %s; --server URL, repeated, names the replicas.",
		len(addresses), front.name)})
}

// readServers reads the replicas of Options.Servers.
func (c *cluster) readServers(ctx context.Context, want Want) ([]replica.Replica, error) {
	config, err := c.config()
	if err != nil {
		return nil, err
	}
	states, err := c.readAll(ctx, c.options.Servers, config, want, func(one *rest.Config, server string) { one.Host = server })
	if err != nil {
		return nil, err
	}
	if !isAnyThere(states) {
		return nil, sentence("None of the %d servers can be reached. %s", len(states), states[0].Missing[0].Why)
	}
	return states, nil
}

// readFront reads the server of the kubeconfig as the only replica.
func (c *cluster) readFront(ctx context.Context, front *client, want Want, missing *replica.Missing) ([]replica.Replica, error) {
	state := front.readReplica(ctx, c.options.Now(), want)
	if state.Away {
		return nil, sentence("%s", state.Missing[0].Why)
	}
	if missing != nil {
		state.Missing = append(state.Missing, *missing)
	}
	return []replica.Replica{state}, nil
}

func isAnyThere(states []replica.Replica) bool {
	return slices.ContainsFunc(states, func(r replica.Replica) bool { return !r.Away })
}

// replicasPath is the slice that kube-apiserver writes. Its name decides: anybody who may create
// slices can give theirs the label of the Service.
const replicasPath = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes"

// findReplicas returns the addresses of the API server, host and port, sorted; none if
// the server does not have EndpointSlices, as flowcontrol-apiserver alone. An address gets the
// credentials of the kubeconfig, so there are none if certificates are not verified.
func (c *cluster) findReplicas(ctx context.Context, front *client, config *rest.Config) ([]string, *replica.Missing) {
	if base, _, err := rest.DefaultServerUrlFor(config); err != nil || base.Scheme != "https" {
		// A proxy that adds the credentials, such as kubectl proxy: the replicas do not
		// know this client.
		return nil, nil
	}
	const others = "Other replicas are not included, if there are any. "
	if config.Insecure {
		return nil, &replica.Missing{What: "replicas", Why: others +
			"Certificates are not verified (insecure-skip-tls-verify), so credentials are sent to no address that the cluster names. --server URL, repeated, names the replicas."}
	}
	var slice discoveryv1.EndpointSlice
	switch err := front.getJSON(ctx, replicasPath, &slice); {
	case apierrors.IsNotFound(err):
		return nil, nil
	case err != nil:
		needed := access{verb: "get", resource: "endpointslices.discovery.k8s.io", namespace: "default"}
		return nil, &replica.Missing{What: "replicas", Why: others +
			requestError(front.name, needed, err).Error() + " --server URL, repeated, names the replicas."}
	}
	found := map[string]bool{}
	addAddresses(found, &slice)
	return slices.Sorted(maps.Keys(found)), nil
}

// addAddresses adds the addresses of a slice, with its port named https.
func addAddresses(found map[string]bool, slice *discoveryv1.EndpointSlice) {
	for _, port := range slice.Ports {
		if port.Port == nil || len(slice.Ports) > 1 && (port.Name == nil || *port.Name != "https") {
			continue
		}
		for _, endpoint := range slice.Endpoints {
			if ready := endpoint.Conditions.Ready; ready != nil && !*ready {
				continue
			}
			for _, address := range endpoint.Addresses {
				found[net.JoinHostPort(address, strconv.Itoa(int(*port.Port)))] = true
			}
		}
	}
}

// readAll reads the replicas of the names in parallel, and sorts them by name. set makes the
// configuration point to a name.
func (c *cluster) readAll(ctx context.Context, names []string, config *rest.Config, want Want, set func(*rest.Config, string)) ([]replica.Replica, error) {
	states := make([]replica.Replica, len(names))
	var group sync.WaitGroup
	for i, name := range names {
		one := rest.CopyConfig(config)
		set(one, name)
		client, err := c.client(name, one)
		if err != nil {
			return nil, err
		}
		group.Go(func() { states[i] = client.readReplica(ctx, c.options.Now(), want) })
	}
	group.Wait()
	slices.SortFunc(states, func(a, b replica.Replica) int { return strings.Compare(a.Name, b.Name) })
	return states, nil
}

// readReplica reads the wanted endpoints one at a time. It stops if the first one
// shows that the server cannot be reached.
func (c *client) readReplica(ctx context.Context, now time.Time, want Want) replica.Replica {
	state := replica.Replica{Name: c.name, Read: now, Taken: now}
	for i, endpoint := range want.Endpoints() {
		err := c.read(ctx, &state, endpoint)
		if i == 0 && err != nil && !isAnswer(err) {
			state.Away = true
			return state
		}
	}
	return state
}

// read reads an endpoint. It returns the error of the request, after adding it to what
// is missing.
func (c *client) read(ctx context.Context, state *replica.Replica, endpoint replica.Endpoint) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	path := string(endpoint)
	if endpoint == replica.EndpointRequests {
		path += "?includeRequestDetails=1"
	}
	accept := "application/json,text/plain;q=0.5"
	if endpoint == replica.EndpointMetrics {
		accept = "text/plain"
	}
	body, err := c.open(ctx, path, accept)
	if err != nil {
		state.Missing = append(state.Missing, replica.Missing{What: string(endpoint), Why: c.explain(endpoint, err)})
		return err
	}
	defer func() { _ = body.Close() }()
	state.Add(endpoint, body)
	return nil
}

// explain says why an endpoint could not be read.
func (c *client) explain(endpoint replica.Endpoint, err error) string {
	switch {
	case apierrors.IsNotFound(err) && (endpoint == replica.EndpointFlows || endpoint == replica.EndpointRejections):
		return fmt.Sprintf("%s does not serve it: only flowcontrol-apiserver does.", c.name)
	case apierrors.IsNotFound(err):
		return fmt.Sprintf("%s does not serve it: flow control is turned off there.", c.name)
	default:
		return requestError(c.name, access{verb: "get", path: string(endpoint)}, err).Error()
	}
}
