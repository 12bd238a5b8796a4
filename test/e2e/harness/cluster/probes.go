package cluster

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// probes performs a container's probes as kubelet does: over TLS without
// verification and without credentials, readiness and liveness only after the
// startup probe succeeds. It probes more often than kubelet. Readiness depends on
// the number of consecutive failures. A restart depends on the time that this
// number of failures takes in kubelet, because test machines are slow.
type probes struct {
	container *corev1.Container
	local     string
	client    *http.Client

	started  bool
	ready    bool
	failures map[*corev1.Probe]failures // consecutive
	reported string                     // the last status sent to the cluster
}

// failures counts the consecutive failures of a probe.
type failures struct {
	count int32
	since time.Time
}

func newProbes(container *corev1.Container, local string) *probes {
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}
	p := &probes{container: container, local: local, client: &http.Client{Transport: transport}}
	p.restart()
	return p
}

// restart resets the state for a new process.
func (p *probes) restart() {
	p.started, p.ready, p.failures = p.container.StartupProbe == nil, false, map[*corev1.Probe]failures{}
}

// ask performs the probes that are due.
func (p *probes) ask(ctx context.Context) (ready, alive bool) {
	if !p.started {
		p.started = p.answers(ctx, p.container.StartupProbe)
		if !p.started {
			return false, !p.outOfPatience(p.container.StartupProbe)
		}
	}
	if p.answers(ctx, p.container.ReadinessProbe) {
		p.ready = true
	} else if p.failures[p.container.ReadinessProbe].count >= p.container.ReadinessProbe.FailureThreshold {
		p.ready = false
	}
	alive = p.answers(ctx, p.container.LivenessProbe) || !p.outOfPatience(p.container.LivenessProbe)
	return p.ready, alive
}

// outOfPatience reports whether the probe has failed for longer than it may.
func (p *probes) outOfPatience(probe *corev1.Probe) bool {
	patience := time.Duration(probe.FailureThreshold*probe.PeriodSeconds) * time.Second
	return time.Since(p.failures[probe].since) >= patience
}

// answers performs one probe; a nil probe succeeds.
func (p *probes) answers(ctx context.Context, probe *corev1.Probe) bool {
	if probe == nil || p.get(ctx, probe) == nil {
		delete(p.failures, probe)
		return true
	}
	failed := p.failures[probe]
	if failed.count == 0 {
		failed.since = time.Now()
	}
	failed.count++
	p.failures[probe] = failed
	return false
}

func (p *probes) get(ctx context.Context, probe *corev1.Probe) error {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(max(probe.TimeoutSeconds, 1))*time.Second)
	defer cancel()
	if probe.HTTPGet == nil {
		return fmt.Errorf("the node knows httpGet probes alone")
	}
	url := strings.ToLower(string(probe.HTTPGet.Scheme)) + "://" + net.JoinHostPort(p.local, p.port(probe.HTTPGet.Port)) + probe.HTTPGet.Path
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	response, err := p.client.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode < 200 || response.StatusCode >= 400 {
		return fmt.Errorf("%s answered %s", url, response.Status)
	}
	return nil
}

// port returns the number of a port of the container.
func (p *probes) port(port intstr.IntOrString) string {
	if port.Type == intstr.Int {
		return port.String()
	}
	for _, known := range p.container.Ports {
		if known.Name == port.StrVal {
			return strconv.Itoa(int(known.ContainerPort))
		}
	}
	return "0"
}
