package kubeapiserver

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	utilclock "k8s.io/utils/clock"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/periodic"
)

const (
	// requestTimeout bounds one request.
	requestTimeout = 5 * time.Second
	// failedInterval and passedInterval separate two rounds, after one with a
	// failure and after one without.
	failedInterval = 2 * time.Second
	passedInterval = 10 * time.Second
	// pendingInterval follows a round without a failure while this server still loads what
	// kube-apiserver has.
	pendingInterval = 100 * time.Millisecond
)

// Config is the configuration of a Monitor. All fields but Trust are required.
type Config struct {
	// Authentication and Authorization reach the kube-apiserver that reviews tokens
	// and permissions.
	Authentication, Authorization *rest.Config
	// Trust is what this server takes from kube-apiserver's ConfigMap; nil if
	// nothing.
	Trust *Trust
	// TrustOptional is set if this server may become ready without it.
	TrustOptional bool
	// Informers inform of the cluster's webhooks and policies.
	Informers Informers
	// MutatingPolicies is nil if this server does not apply the cluster's.
	MutatingPolicies *MutatingPolicies
	Clock            utilclock.WithTicker
	Log              logr.Logger
}

// Monitor runs the checks periodically.
type Monitor struct {
	clock  utilclock.WithTicker
	reach  attempt
	others []attempt // made if kube-apiserver was reached
	checks []*Check  // of all attempts
	// metrics are of the checks.
	metrics *prometheus.Registry
}

// attempt is a check with the function that runs it.
type attempt struct {
	*Check
	run func(context.Context) *failure
}

// New returns a monitor that has not run a check yet.
func New(config Config) (*Monitor, error) {
	skew := &clockSkew{clock: config.Clock}
	authentication, err := newClient(config.Authentication, skew)
	if err != nil {
		return nil, err
	}
	authorization, err := newClient(config.Authorization, skew)
	if err != nil {
		return nil, err
	}
	m := &Monitor{clock: config.Clock, metrics: prometheus.NewRegistry()}
	passing := prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "flowcontrol_apiserver_kube_apiserver_check_passing",
		Help: "[ALPHA] Whether the last attempt at a check of the kube-apiserver in front passed, 1 or 0",
	}, []string{"check"})
	lastSuccess := prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "flowcontrol_apiserver_kube_apiserver_check_last_success_timestamp_seconds",
		Help: "[ALPHA] Unix time when a check of the kube-apiserver in front last passed, 0 if it never did",
	}, []string{"check"})
	m.metrics.MustRegister(passing, lastSuccess)
	add := func(name string, optional bool, run func(context.Context) *failure) attempt {
		check := &Check{
			name: name, optional: optional, log: config.Log.WithValues("check", name), clock: config.Clock,
			passing: passing.WithLabelValues(name), lastSuccess: lastSuccess.WithLabelValues(name),
			failure: &failure{message: "kube-apiserver has not answered yet"},
		}
		m.checks = append(m.checks, check)
		return attempt{check, run}
	}
	m.reach = add("kube-apiserver", false, func(ctx context.Context) *failure { return checkReachable(ctx, authorization, authentication) })
	if config.Trust != nil {
		m.others = append(m.others, add("delegated-authentication", config.TrustOptional, func(ctx context.Context) *failure {
			return checkTrust(ctx, authentication.CoreV1(), config.Trust)
		}))
	}
	ignored := &mutatingPolicies{client: authorization.AdmissionregistrationV1().RESTClient(), clock: config.Clock}
	policies := ignored.check
	if config.MutatingPolicies != nil {
		policies = (&appliedPolicies{client: ignored.client, policies: config.MutatingPolicies, ignored: ignored}).check
	}
	m.others = append(m.others,
		// Optional: requests through the aggregator have no token.
		add("delegated-tokens", true, func(ctx context.Context) *failure { return checkTokenReview(ctx, authentication) }),
		add("delegated-authorization", false, func(ctx context.Context) *failure { return checkAccessReview(ctx, authorization) }),
		add("delegated-admission", false, func(ctx context.Context) *failure {
			return checkAdmission(ctx, authorization, config.Informers)
		}),
		// Optional: the objects are stored, without what the policies would change.
		add("mutating-policies", true, policies),
		// Optional: a server with a wrong clock may still be useful.
		add("clock", true, func(context.Context) *failure { return skew.check() }),
	)
	return m, nil
}

func newClient(config *rest.Config, skew *clockSkew) (kubernetes.Interface, error) {
	config = rest.CopyConfig(config)
	config.Timeout = requestTimeout
	config.QPS = -1 // no limit: a round has few requests
	config.Wrap(skew.wrap)
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("client of the kube-apiserver: %w", err)
	}
	return client, nil
}

// Checks returns all checks, in the order of a round.
func (m *Monitor) Checks() []*Check { return m.checks }

// Metrics has the results of the checks.
func (m *Monitor) Metrics() prometheus.Collector { return m.metrics }

// Run runs rounds of checks until ctx ends.
func (m *Monitor) Run(ctx context.Context) {
	for {
		if !periodic.Wait(ctx, m.clock, m.Round(ctx)) {
			return
		}
	}
}

// Round runs every check once and returns the time until the next round.
func (m *Monitor) Round(ctx context.Context) time.Duration {
	result := m.reach.run(ctx)
	if ctx.Err() != nil {
		return 0 // this server stops; kube-apiserver did not fail
	}
	m.reach.record(result)
	if result != nil {
		return failedInterval // the results of the other checks remain
	}
	interval, pending := passedInterval, false
	for _, other := range m.others {
		result := other.run(ctx)
		if ctx.Err() != nil {
			return 0
		}
		switch state := other.record(result); state {
		case isPending:
			pending = true
		case hasFailed:
			interval = failedInterval
		}
	}
	if pending {
		return pendingInterval
	}
	return interval
}

// checkReachable requests /livez: everyone may read it, and kube-apiserver exempts it from flow
// control. A 500 is an answer too: a kube-apiserver whose v1 is served by this server, and that
// starts while this server is unavailable, is not live before v1 is available. Each would wait for the
// other.
func checkReachable(ctx context.Context, clients ...kubernetes.Interface) *failure {
	for _, client := range clients {
		err := client.Discovery().RESTClient().Get().AbsPath("/livez").Do(ctx).Error()
		var status apierrors.APIStatus
		if errors.As(err, &status) && status.Status().Code == http.StatusInternalServerError {
			continue
		}
		if failed := explain(err, ""); failed != nil {
			return failed
		}
	}
	return nil
}
