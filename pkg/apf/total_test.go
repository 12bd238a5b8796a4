package apf_test

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/total"
)

// slowMachine is a machine on which goroutines wait for processors.
type slowMachine struct{}

func (slowMachine) Sample() total.Sample {
	return total.Sample{total.SchedulingLatency: {Value: 1}}
}

// totalAfter returns the state of the total after a minute in virtual time, with all of
// 100 seats in use on a slow machine, and the metrics of the total.
func totalAfter(t *testing.T, options total.Options) (status total.Status, figures map[string]float64) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		client := fake.NewClientset()
		// Without resyncs, virtual time would stand still.
		factory := informers.NewSharedInformerFactory(client, time.Hour)
		config := apf.ConfigFor(factory, client.FlowcontrolV1(), 100)
		config.TotalControl, config.Sampler = options, slowMachine{}
		config.SchemaPatcher = nil
		f, err := apf.New(config)
		require.NoError(t, err)
		s, stop := &server{FlowControl: f, client: client}, make(chan struct{})
		factory.Start(stop)
		var running sync.WaitGroup
		running.Go(func() { assert.NoError(t, f.Run(stop)) })
		<-f.Applied()
		release := make(chan struct{})
		for range 100 {
			running.Go(func() { s.handle(t.Context(), digestOf("somebody"), func() { <-release }) })
		}
		<-time.After(time.Minute + time.Second)
		status = f.TotalStatus()
		figures = gauges(t, f.Registry())
		close(release)
		close(stop)
		running.Wait()
		factory.Shutdown()
	})
	return status, figures
}

// gauges returns the sum of the gauges of each family.
func gauges(t *testing.T, gatherer prometheus.Gatherer) map[string]float64 {
	t.Helper()
	families, err := gatherer.Gather()
	require.NoError(t, err)
	sums := map[string]float64{}
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			if gauge := metric.GetGauge(); gauge != nil {
				sums[family.GetName()] += gauge.GetValue()
			}
		}
	}
	return sums
}

const (
	totalSeats       = "apiserver_flowcontrol_total_seats"
	recommendedSeats = "apiserver_flowcontrol_recommended_total_seats"
	nominalSeats     = "apiserver_flowcontrol_nominal_limit_seats"
)

func TestTotalFollowsTheMachineIfAnAdopterAsksForIt(t *testing.T) {
	for mode, inEffect := range map[total.Mode]int{total.Adaptive: 53, total.Monitor: 100, total.Static: 100, "": 100} { // 100 · 0.9⁶
		status, figures := totalAfter(t, total.Options{Mode: mode})
		assert.Equal(t, inEffect, status.InEffect, mode)
		assert.InDelta(t, inEffect, figures[totalSeats], 0, mode)
		assert.InDelta(t, inEffect, figures[nominalSeats], 0, mode)
		if mode == total.Adaptive || mode == total.Monitor {
			assert.Equal(t, 53, status.Recommendation.Total, mode)
			assert.InDelta(t, 53, figures[recommendedSeats], 0, mode)
			continue
		}
		assert.NotContains(t, figures, recommendedSeats, mode)
	}
}

func TestInvalidTotalControlIsRejected(t *testing.T) {
	factory := informers.NewSharedInformerFactory(fake.NewClientset(), 0)
	config := apf.ConfigFor(factory, fake.NewClientset().FlowcontrolV1(), 100)
	config.TotalControl = total.Options{Mode: total.Adaptive, Min: 200}
	_, err := apf.New(config)
	require.ErrorContains(t, err, "min of the total is 200: must not be more than the static total, 100")
}

func TestMachineOfThisProcessIsTheDefault(t *testing.T) {
	factory := informers.NewSharedInformerFactory(fake.NewClientset(), 0)
	config := apf.ConfigFor(factory, fake.NewClientset().FlowcontrolV1(), 100)
	config.TotalControl.Mode, config.SchemaPatcher = total.Monitor, nil
	f, err := apf.New(config)
	require.NoError(t, err)
	assert.True(t, f.TotalStatus().Active)
}
