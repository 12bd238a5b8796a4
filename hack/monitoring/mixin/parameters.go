package mixin

import (
	"fmt"
	"strings"
	"time"

	"github.com/prometheus/common/model"
)

// Runbook is the document that explains the alerts, each below a heading of its name.
const Runbook = "https://github.com/flowcontrol-apiserver/flowcontrol-apiserver/blob/main/docs/operations.md"

// Parameters adapt the rules to a site. Create them with Defaults.
type Parameters struct {
	// FlowControlJobs is a regular expression of the values of the label job of the
	// servers whose flow control is watched: this server, kube-apiservers, or both.
	FlowControlJobs string
	// ServerJob is the value of the label job of this server.
	ServerJob string
	// EtcdJobs is a regular expression of the values of the label job of the etcd, if it
	// is scraped.
	EtcdJobs string
	// EtcdQuota is the size in bytes that makes an etcd reject writes, if it is not scraped.
	EtcdQuota int64
	// KeeperWrites is the number of writes to one built-in object in 15 minutes that a
	// single change explains. A keeper writes an object at most once a minute.
	KeeperWrites int
	// Pace divides windows and durations, for tests. It is 1 in production.
	Pace float64
}

// Defaults are the parameters of artifacts/monitoring.
func Defaults() Parameters {
	return Parameters{
		FlowControlJobs: "flowcontrol-apiserver",
		ServerJob:       "flowcontrol-apiserver",
		EtcdJobs:        "flowcontrol-etcd",
		EtcdQuota:       2 << 30, // the default of etcd
		KeeperWrites:    5,
		Pace:            1,
	}
}

// window is a duration in the expressions, such as $5m.
type window struct {
	name string
	// full is the duration in production.
	full time.Duration
	// floor is the shortest useful duration in a test with a scrape every four seconds.
	floor time.Duration
}

func windows() []window {
	return []window{
		{"$5m", 5 * time.Minute, 12 * time.Second},
		{"$15m", 15 * time.Minute, 2 * time.Minute}, // passes of the keeper are a minute apart
		{"$30m", 30 * time.Minute, 20 * time.Second},
		{"$1h", time.Hour, 20 * time.Second},
	}
}

// shorten divides a duration by the pace, down to a floor.
func (p Parameters) shorten(d, floor time.Duration) model.Duration {
	return model.Duration(min(d, max(floor, time.Duration(float64(d)/p.Pace))).Round(time.Second))
}

// age is how many seconds make a check late that passes every ten seconds.
func (p Parameters) age() string {
	return fmt.Sprint(time.Duration(p.shorten(2*time.Minute, 25*time.Second)).Seconds())
}

// fill replaces the placeholders of an expression: $flowcontrol, $server and $etcd by selectors
// of jobs, $5m and the like by windows, $instance by the labels of one installation.
func (p Parameters) fill(expression string) string {
	pairs := []string{
		"$flowcontrol", fmt.Sprintf("job=~%q", p.FlowControlJobs),
		"$server", fmt.Sprintf("job=%q", p.ServerJob),
		"$etcd", fmt.Sprintf("job=~%q", p.EtcdJobs),
		"$installation", "cluster, namespace, job",
		"$quota", fmt.Sprint(p.EtcdQuota),
		"$keeperwrites", fmt.Sprint(p.KeeperWrites),
		"$age", p.age(),
	}
	for _, w := range windows() {
		pairs = append(pairs, w.name, p.shorten(w.full, w.floor).String())
	}
	return strings.NewReplacer(pairs...).Replace(strings.TrimSpace(expression))
}
