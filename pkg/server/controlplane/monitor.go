package controlplane

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/readiness"
)

const (
	// askTimeout bounds one question.
	askTimeout = 5 * time.Second
	// troubledInterval and quietInterval separate two rounds of questions, while
	// something is missing and while nothing is.
	troubledInterval = 2 * time.Second
	quietInterval    = 10 * time.Second
)

// Config says what a Monitor looks after. All is needed but Trust.
type Config struct {
	// Authentication and Authorization reach the kube-apiserver that reviews
	// tokens and permissions.
	Authentication, Authorization *rest.Config
	// Trust is what this server knows of whom to trust from kube-apiserver; nil
	// if it is not asked.
	Trust *Trust
	// TrustOptional is set when the server is to be ready without.
	TrustOptional bool
	// Informers are those of the cluster's webhooks and policies.
	Informers Informers
	Clock     clock.WithTicker
	Log       logr.Logger
}

// Monitor asks kube-apiserver the questions, again and again.
type Monitor struct {
	clock   clock.WithTicker
	reached *Check
	reach   func(context.Context) *Trouble
	others  []question // asked if kube-apiserver was reached
	// checks are all of them.
	checks []*Check
}

// question is a check and how it is asked.
type question struct {
	*Check
	ask func(context.Context) *Trouble
}

// New returns a monitor that has asked nothing yet.
func New(config Config) (*Monitor, error) {
	clocks := &skew{clock: config.Clock}
	authentication, err := newClient(config.Authentication, clocks)
	if err != nil {
		return nil, err
	}
	authorization, err := newClient(config.Authorization, clocks)
	if err != nil {
		return nil, err
	}
	m := &Monitor{clock: config.Clock, reach: func(ctx context.Context) *Trouble { return reach(ctx, authorization, authentication) }}
	check := func(name string, optional bool) *Check {
		made := newCheck(name, optional, config.Log)
		m.checks = append(m.checks, made)
		return made
	}
	ask := func(name string, optional bool, ask func(context.Context) *Trouble) {
		m.others = append(m.others, question{check(name, optional), ask})
	}
	m.reached = check("kube-apiserver", false)
	if config.Trust != nil {
		ask("delegated-authentication", config.TrustOptional, func(ctx context.Context) *Trouble {
			return askTrust(ctx, authentication.CoreV1(), config.Trust)
		})
	}
	// Who comes through the aggregator brings no token to this server.
	ask("delegated-tokens", true, func(ctx context.Context) *Trouble { return askTokenReview(ctx, authentication) })
	ask("delegated-authorization", false, func(ctx context.Context) *Trouble { return askAccessReview(ctx, authorization) })
	ask("delegated-admission", false, func(ctx context.Context) *Trouble {
		return askInformers(ctx, authorization, config.Informers)
	})
	// A server whose clock is wrong may still be of use.
	ask("clock", true, func(context.Context) *Trouble { return clocks.trouble() })
	return m, nil
}

func newClient(config *rest.Config, clocks *skew) (kubernetes.Interface, error) {
	config = rest.CopyConfig(config)
	config.Timeout = askTimeout
	config.QPS = -1 // a round has a few questions
	config.Wrap(clocks.wrap)
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("client of the kube-apiserver: %w", err)
	}
	return client, nil
}

// Checks are all checks.
func (m *Monitor) Checks() []*Check { return m.checks }

// Run asks until ctx ends.
func (m *Monitor) Run(ctx context.Context) {
	for {
		pause := m.clock.NewTimer(m.Round(ctx))
		select {
		case <-ctx.Done():
			pause.Stop()
			return
		case <-pause.C():
		}
	}
}

// Round asks once and returns when to ask again.
func (m *Monitor) Round(ctx context.Context) time.Duration {
	trouble := m.reach(ctx)
	if ctx.Err() != nil {
		return 0 // the server stops, which says nothing of kube-apiserver
	}
	m.reached.note(trouble)
	if trouble != nil {
		return troubledInterval // what it would answer is not known
	}
	interval := quietInterval
	for _, question := range m.others {
		found := question.ask(ctx)
		if ctx.Err() != nil {
			return 0
		}
		question.note(found)
		if found != nil {
			interval = troubledInterval
		}
	}
	return interval
}

// reach asks for what everyone may read, and what kube-apiserver's own flow
// control lets through however much there is to do. That kube-apiserver is not
// well is an answer too: started while this server is away, it does not call
// itself live before v1 is available, if v1 is ours, and would wait for this
// server as this server for it.
func reach(ctx context.Context, clients ...kubernetes.Interface) *Trouble {
	for _, client := range clients {
		err := client.Discovery().RESTClient().Get().AbsPath("/livez").Do(ctx).Error()
		var status apierrors.APIStatus
		if errors.As(err, &status) && status.Status().Code == http.StatusInternalServerError {
			continue
		}
		if trouble := unanswered(err); trouble != nil {
			return trouble
		}
	}
	return nil
}

// Remarks are what the checks say on /readyz.
func (m *Monitor) Remarks() []readiness.Remark {
	remarks := make([]readiness.Remark, 0, len(m.checks))
	for _, check := range m.checks {
		remarks = append(remarks, readiness.Remark{Check: check.Name(), Text: check.text, Passing: true})
	}
	return remarks
}
