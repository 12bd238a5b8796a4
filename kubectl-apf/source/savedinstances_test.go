package source_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/source"
)

// federated is what Prometheus federates of two kube-apiservers, and of a program without levels.
const federated = `# TYPE apiserver_flowcontrol_current_executing_seats untyped
apiserver_flowcontrol_current_executing_seats{flow_schema="service-accounts",instance="10.0.0.1:6443",job="apiserver",priority_level="workload-low"} 41 1795341600250
apiserver_flowcontrol_current_executing_seats{flow_schema="service-accounts",instance="10.0.0.2:6443",job="apiserver",priority_level="workload-low"} 3 1795341600250
apiserver_flowcontrol_nominal_limit_seats{instance="10.0.0.1:6443",job="apiserver",priority_level="workload-low"} 245 1795341600250
apiserver_flowcontrol_nominal_limit_seats{instance="10.0.0.2:6443",job="apiserver",priority_level="workload-low"} 122 1795341600250
process_start_time_seconds{instance="10.0.0.3:9100",job="node"} 1795341000 1795341600250
`

func TestFederatedMetricsAreOfTheServersThatTheyName(t *testing.T) {
	for name, text := range map[string]string{"lines": federated, "lines of Windows": strings.ReplaceAll(federated, "\n", "\r\n")} {
		t.Run(name, func(t *testing.T) {
			directory := t.TempDir()
			write(t, directory, map[string]string{"federate.txt": text, "copy/federate.txt": text})
			states := replicasOf(t, 2, source.Options{Dumps: directory}, source.Want{Metrics: true})
			for i, want := range []struct {
				name           string
				seats, nominal int
			}{{"10.0.0.1:6443", 41, 245}, {"10.0.0.2:6443", 3, 122}} {
				level := states[i].Metrics.Levels["workload-low"]
				assert.Equal(t, want.name, states[i].Name)
				assert.Equal(t, []int{want.seats, want.nominal}, []int{*level.SeatsInUse, *level.Nominal})
			}
		})
	}
}

func TestWhatTwoPrometheusTellOfAServerCountsOnce(t *testing.T) {
	pair := strings.ReplaceAll(federated, `job="apiserver"`, `job="apiserver",prometheus_replica="p-0"`) + strings.ReplaceAll(federated, `job="apiserver"`, `job="apiserver",prometheus_replica="p-1"`)
	one := strings.ReplaceAll(pair, "0.2:", "0.3:")
	for name, text := range map[string]string{"two servers": pair, "one server": strings.Join(slices.DeleteFunc(strings.SplitAfter(one, "\n"), func(line string) bool { return strings.Contains(line, "0.3:") }), "")} {
		t.Run(name, func(t *testing.T) {
			directory := t.TempDir()
			write(t, directory, map[string]string{"federate.txt": text})
			states := replicasOf(t, map[string]int{"two servers": 2, "one server": 1}[name], source.Options{Dumps: directory}, source.Want{Metrics: true})
			assert.Equal(t, 41, *states[0].Metrics.Levels["workload-low"].SeatsInUse)
		})
	}
}

func TestMetricsWithOneInstanceAreOfOneServer(t *testing.T) {
	directory := t.TempDir()
	write(t, directory, map[string]string{"federate.txt": strings.ReplaceAll(federated, "0.2:", "0.1:"), "levels": levelsText})
	states := replicasOf(t, 1, source.Options{Dumps: directory}, source.Want{Metrics: true, Levels: true})
	assert.Equal(t, directory, states[0].Name)
	assert.Len(t, states[0].Levels, 1)
}
