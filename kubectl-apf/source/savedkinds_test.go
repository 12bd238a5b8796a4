package source_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/source"
)

// The responses of a kube-apiserver, which the tests save in many forms.
const (
	levelsText = "PriorityLevelName, ActiveQueues, IsIdle, IsQuiescing, WaitingRequests, ExecutingRequests, DispatchedRequests, RejectedRequests, TimedoutRequests, CancelledRequests\n" +
		"workload-low,      1,            false, " + " false,       7,               49,                12000,              321,              12,               3\n"
	levelsInJSON = `[{"priorityLevelName":"workload-low","waitingRequests":7,"isIdle":false}]`
	queuesText   = "PriorityLevelName, Index, PendingRequests, ExecutingRequests, SeatsInUse, NextDispatchR, InitialSeatsSum, MaxSeatsSum, TotalWorkSum\n" +
		"workload-low,      14,    7,               49,                49,         1.5,           7,               7,           7.03ss\n"
	metricsOfEtcd = "# TYPE etcd_server_has_leader gauge\netcd_server_has_leader 1\n"
)

func requestsAt(second int) string {
	return fmt.Sprintf("PriorityLevelName, FlowSchemaName,   QueueIndex, RequestIndexInQueue, FlowDistingsher, ArriveTime,                     InitialSeats, FinalSeats, AdditionalLatency, StartTime\n"+
		"workload-low,      service-accounts, 14,         0,                   web,             2026-05-04T10:00:%02d.596404345Z, 1,            0,          0s,                0001-01-01T00:00:00Z\n", second)
}

// metricsOf are metrics of a process that started at a second, with seven requests that wait.
func metricsOf(start int) string {
	return fmt.Sprintf("# TYPE apiserver_flowcontrol_current_inqueue_requests gauge\n"+
		"apiserver_flowcontrol_current_inqueue_requests{flow_schema=\"service-accounts\",priority_level=\"workload-low\"} 7\n"+
		"process_start_time_seconds %d\n", start)
}

func metricsJSONOf(start int) string {
	return fmt.Sprintf(`[{"name":"apiserver_flowcontrol_current_inqueue_requests","help":"","type":"GAUGE","metrics":[
		{"labels":{"flow_schema":"service-accounts","priority_level":"workload-low"},"value":"7"}]},
		{"name":"process_start_time_seconds","help":"","type":"GAUGE","metrics":[{"value":"%d"}]}]`, start)
}

func gzipped(t testing.TB, text string) string {
	t.Helper()
	var out bytes.Buffer
	writer := gzip.NewWriter(&out)
	_, err := writer.Write([]byte(text))
	require.NoError(t, err)
	require.NoError(t, writer.Close())
	return out.String()
}

func archived(t testing.TB, files map[string]string) string {
	t.Helper()
	var out bytes.Buffer
	writer := tar.NewWriter(&out)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		text := files[name]
		require.NoError(t, writer.WriteHeader(&tar.Header{Name: name, Size: int64(len(text)), Mode: 0o600, Typeflag: tar.TypeReg, Format: tar.FormatUSTAR}))
		_, err := writer.Write([]byte(text))
		require.NoError(t, err)
	}
	require.NoError(t, writer.Close())
	return gzipped(t, out.String())
}

func zipped(t testing.TB, files map[string]string) string {
	t.Helper()
	var out bytes.Buffer
	writer := zip.NewWriter(&out)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		text := files[name]
		file, err := writer.Create(name)
		require.NoError(t, err)
		_, err = file.Write([]byte(text))
		require.NoError(t, err)
	}
	require.NoError(t, writer.Close())
	return out.String()
}

// podDirectory is the directory of a pod in a must-gather.
func podDirectory(namespace, pod string) string {
	return "must-gather/quay-io/namespaces/" + namespace + "/pods/" + pod + "/c/c/"
}

// TestKindsOfSavedAnswers has a case for each form of saved API responses of one or two API servers.
// Seven requests wait on each.
func TestKindsOfSavedAnswers(t *testing.T) {
	const kube = "openshift-kube-apiserver"
	first, second := podDirectory(kube, "kube-apiserver-master-0"), podDirectory(kube, "kube-apiserver-master-1")
	for _, c := range []struct {
		name    string
		files   map[string]string
		servers int
		// left are parts of what is said of the files that are left out.
		left []string
	}{
		{"kubectl get --raw under any name", map[string]string{"a.log": levelsText, "b": queuesText, "c.txt": requestsAt(1), "d": metricsOf(1)}, 1, nil},
		{"the paths of the endpoints", map[string]string{"metrics": metricsOf(1), "debug/api_priority_and_fairness/dump_priority_levels": levelsText}, 1, nil},
		{"a dump in JSON", map[string]string{"x": levelsInJSON}, 1, nil},
		{"what kubectl says before the response", map[string]string{"x": "W0504 10:00:00.000000       1 warnings.go:70] x\n" + levelsText}, 1, nil},
		{"the line ends of Windows", map[string]string{"x": strings.ReplaceAll(levelsText, "\n", "\r\n")}, 1, nil},
		{"metrics alone", map[string]string{"x": metricsOf(1)}, 1, nil},
		{"metrics in JSON", map[string]string{"x": metricsJSONOf(1)}, 1, nil},
		{"compressed", map[string]string{"x.gz": gzipped(t, levelsText)}, 1, nil},
		{"UTF-16, as PowerShell saves it", map[string]string{"x": "\xff\xfe" + strings.Join(strings.Split(levelsText, ""), "\x00") + "\x00", "y": "\xff\xfe" + strings.Join(strings.Split(metricsOf(1), ""), "\x00") + "\x00"}, 1, nil},
		{"an HTTP collector of troubleshoot.sh", map[string]string{"apf/result.json": fmt.Sprintf(`{"response":{"status":200,"body":%q}}`, levelsText)}, 1, nil},
		{"HTTP collectors with names, the raw JSON, and an error", map[string]string{
			"apf/levels.json":                   fmt.Sprintf(`{"response":{"status":200,"body":%q,"headers":{"Content-Type":"application/json"},"raw_json":%s}}`, levelsInJSON, levelsInJSON),
			"apf/metrics.json":                  `{"error":{"message":"Get \"https://10.0.0.1/metrics\": context deadline exceeded"}}`,
			"cluster-info/cluster_version.json": `{"info":{"gitVersion":"v1.33.4"},"string":"v1.33.4"}`, "cluster-info/errors.json": "null",
		}, 1, []string{"apf/metrics.json. The server could not be asked: Get ", "context deadline exceeded."}},
		{"a directory for each server", map[string]string{"a/x": levelsText, "b/x": levelsText}, 2, nil},
		{"a prefix for each server", map[string]string{"m0-levels.txt": levelsText, "m1-levels.txt": levelsText, "m0-metrics": metricsOf(1), "m1-metrics": metricsOf(2)}, 2, nil},
		{"a host for each server", map[string]string{"levels of cp-0.example.com.txt": levelsText, "levels of cp-1.example.com.txt": levelsText + " ", "queues of cp-0.example.com.txt": queuesText}, 2, nil},
		{"a prefix for each server, and an answer without", map[string]string{"m0-levels.txt": levelsText, "m1-levels.txt": levelsText + " ", "metrics": metricsOf(1)}, 2, []string{"metrics. It is unclear which API server"}},
		{"an archive of zip", map[string]string{"all.zip": zipped(t, map[string]string{"a/x": levelsText, "b/x": levelsText})}, 2, nil},
		{"an archive of zip that is cut off", map[string]string{"x": levelsText, "all.zip": zipped(t, map[string]string{"a/x": levelsText})[:60]}, 1, []string{"all.zip. It cannot be read"}},
		{"an archive", map[string]string{"all.tar.gz": archived(t, map[string]string{"a/x": levelsText, "b/x": levelsText})}, 2, nil},
		{"an archive for each server", map[string]string{"a/all.tgz": archived(t, map[string]string{"x": levelsText}), "b/all.tgz": archived(t, map[string]string{"x": levelsText})}, 2, nil},
		{"a must-gather", map[string]string{first + "api_priority_and_fairness/priority_levels": levelsText, first + "metrics.json": metricsJSONOf(1), second + "metrics.json": metricsOf(1)}, 2, nil},
		{"a must-gather twice", map[string]string{first + "metrics.json": metricsOf(1), "later/" + first + "metrics.json": metricsOf(2)}, 1, []string{"of an API server that has an answer as late or later."}},
		{"metrics of other pods", map[string]string{first + "metrics.json": metricsOf(1), podDirectory("openshift-etcd", "etcd-0") + "metrics.json": metricsOfEtcd}, 1, []string{"etcd-0/c/c/metrics.json. These metrics have no priority level"}},
		{"another API server", map[string]string{first + "metrics.json": metricsOf(1), podDirectory("openshift-oauth-apiserver", "apiserver-0") + "metrics.json": metricsOf(2)}, 1, []string{"other than kube-apiserver"}},
		{"a compressed copy", map[string]string{"levels.txt": levelsText, "levels.txt.gz": gzipped(t, levelsText)}, 1, []string{"has an answer as late or later"}},
		{"a second download", map[string]string{"levels.txt": levelsText, "levels (1).txt": levelsText}, 1, []string{"levels (1).txt. It is a copy of another file."}},
		{"an archive beside its content", map[string]string{"x.tar.gz": archived(t, map[string]string{"a/x": levelsText}), "a/x": levelsText}, 1, []string{"has an answer as late or later"}},
		{"current and previous", map[string]string{"current/x": levelsText, "previous/x": levelsText + "system, 0, true, false, 90, 0, 0, 0, 0, 0\n"}, 1, []string{"previous/x. It is of an API server that has an answer as late or later"}},
		{"two scrapes of one process", map[string]string{"a/x": metricsOf(1), "b/x": metricsOf(1) + "# later\n"}, 1, []string{"which was saved twice"}},
		{"one request in two dumps", map[string]string{"a/x": levelsText, "a/y": requestsAt(1), "b/x": levelsText, "b/y": requestsAt(1)}, 1, []string{"which was saved twice"}},
		{"an error and an empty file", map[string]string{"x": levelsText, "y": `{"kind":"Status","message":"nobody may"}`, "z": ""}, 1, []string{"y. The server answered with an error: nobody may.", "z. It is empty."}},
	} {
		t.Run(c.name, func(t *testing.T) {
			directory := t.TempDir()
			write(t, directory, c.files)
			states := replicasOf(t, c.servers, source.Options{Dumps: directory}, source.Want{Levels: true, Metrics: true})
			assert.True(t, slices.IsSortedFunc(states, func(a, b replica.Replica) int { return strings.Compare(a.Name, b.Name) }))
			for _, state := range states {
				waiting := 0
				for _, level := range state.Levels {
					waiting += level.Waiting
				}
				if len(state.Levels) == 0 {
					for _, schema := range state.Metrics.Schemas {
						waiting += *schema.Waiting
					}
				}
				assert.Equal(t, 7, waiting, state.Name)
				assert.NotContains(t, state.Name, "debug", "it is a folder of the endpoints")
			}
			notes := whys(states[0].Missing)
			assert.Equal(t, len(c.left) > 0, strings.Contains(notes, "Left out"), notes)
			for _, part := range c.left {
				assert.Contains(t, notes, part)
			}
		})
	}
}

// Files are often copied long after they were saved.
func TestAgesEndWithTheLatestTimeInADump(t *testing.T) {
	directory := t.TempDir()
	later := strings.SplitAfter(requestsAt(41), "\n")[1]
	const rejection = `[{"priorityLevelName":"a","flowSchemaName":"b","reason":"queue-full","count":7,"firstTime":"2026-05-06T07:00:00Z","lastTime":"2026-05-06T07:08:00Z"}]`
	write(t, directory, map[string]string{"x": requestsAt(1) + later, "y/levels.txt": levelsText, "z/rejections": rejection})
	states := replicasOf(t, 3, source.Options{Dumps: directory}, source.Want{Requests: true})
	saved := states[0]
	require.Len(t, saved.Requests, 2)
	assert.Equal(t, new(40.0), saved.Since(saved.Requests[0].Arrived))
	assert.Nil(t, saved.Since(saved.Requests[1].Arrived), "nothing says how long after it the dump was taken")
	assert.True(t, states[1].Taken.IsZero())
	assert.Equal(t, "07:08", states[2].Taken.Format("15:04"))
}

func TestMetricsAndDumpsOfDifferentTimes(t *testing.T) {
	const waiting = `apiserver_flowcontrol_current_inqueue_requests{flow_schema="a",priority_level="workload-low"} `
	for _, test := range []struct {
		name, metrics string
		apart         time.Duration
		says          string
	}{
		{"they agree", waiting + "7", 0, ""},
		{"they contradict each other", waiting + "0", 0, "/metrics: The metrics and the dumps are of different times. On workload-low 0 requests wait here, and 7 in the dump."},
		{"the files do", waiting + "7", time.Hour, "/metrics: The metrics and the dumps are of different times. The files were written 1h0m0s apart."},
		{"the files do, and the metrics are older", waiting + "7", -time.Hour, "/metrics: The metrics and the dumps are of different times. The files were written 1h0m0s apart."},
	} {
		t.Run(test.name, func(t *testing.T) {
			directory := t.TempDir()
			write(t, directory, map[string]string{"levels": levelsText, "metrics": test.metrics + "\n"})
			require.NoError(t, os.Chtimes(filepath.Join(directory, "metrics"), now(), now()))
			require.NoError(t, os.Chtimes(filepath.Join(directory, "levels"), now(), now().Add(-test.apart)))
			states := replicasOf(t, 1, source.Options{Dumps: directory}, source.Want{Levels: true, Metrics: true})
			assert.Equal(t, test.says, whys(states[0].Missing))
		})
	}
}

// TestPreviousIsEarlierWhateverItsTime has a previous log that was written last, as copies
// are: the path decides. Otherwise the time does.
func TestPreviousIsEarlierWhateverItsTime(t *testing.T) {
	other := strings.Replace(levelsText, "7,               49", "90,              49", 1)
	for _, test := range []struct {
		name, kept, left string
	}{
		{"previous is written later", "pods/kube-apiserver-a/current/x", "pods/kube-apiserver-a/previous/x"},
		{"an older dump of the same pod", "pods/kube-apiserver-a/x", "old/pods/kube-apiserver-a/x"},
	} {
		t.Run(test.name, func(t *testing.T) {
			directory := t.TempDir()
			write(t, directory, map[string]string{test.kept: levelsText, test.left: other})
			earlier := now().Add(-time.Hour)
			older, newer := test.left, test.kept
			if strings.Contains(test.left, "previous") {
				older, newer = newer, older
			}
			require.NoError(t, os.Chtimes(filepath.Join(directory, older), earlier, earlier))
			require.NoError(t, os.Chtimes(filepath.Join(directory, newer), now(), now()))
			states := replicasOf(t, 1, source.Options{Dumps: directory}, source.Want{Levels: true})
			assert.Equal(t, 7, states[0].Levels[0].Waiting)
			assert.Contains(t, whys(states[0].Missing), test.left+". It is of an API server that has an answer as late or later")
		})
	}
}

func TestSavedAnswersOfAMustGather(t *testing.T) {
	s := newSource(t, source.Options{Dumps: filepath.Join("testdata", "must-gather")})
	states, err := s.Replicas(t.Context(), everything())
	require.NoError(t, err)
	require.Len(t, states, 2)
	for _, state := range states {
		assert.Len(t, state.Levels, 9)
		assert.Equal(t, 7, state.Levels[8].Waiting)
		assert.Len(t, state.Requests, 2)
		assert.Equal(t, 7, state.Queues[0].Waiting)
	}
	c, err := s.Configuration(t.Context())
	require.NoError(t, err)
	assert.Contains(t, namesOf(c), "openshift-kube-apiserver-operator")
	// The dumps have levels without an object here: a part of the objects does not say that the others are deleted.
	assert.Contains(t, namesOf(c), "service-accounts")
	assert.Len(t, c.PriorityLevels, 9)
	assert.False(t, c.Assumed)
	assert.Contains(t, strings.Join(c.Notes, " "), "without an object here, global-default, leader-election, node-high, system, workload-high, workload-low, so objects are missing")
}

func TestObjectsThatWereSavedTwice(t *testing.T) {
	directory := t.TempDir()
	older, newer := schemaYAML("a", "v1", "old"), schemaYAML("a", "v1beta3", "new")
	write(t, directory, map[string]string{
		"a.txt": strings.Replace(older, "  name: a\n", "  name: a\n  resourceVersion: \"9\"\n", 1),
		"b":     strings.Replace(newer, "  name: a\n", "  name: a\n  resourceVersion: \"10\"\n", 1),
		// A rule of RBAC only names the group, and a log a version.
		"operator.log": "no matches for flowcontrol.apiserver.k8s.io/v1beta3, Kind=FlowSchema\n",
		"rbac.yaml":    "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nrules: [{apiGroups: [flowcontrol.apiserver.k8s.io]}]\n",
	})
	c := configurationOf(t, source.Options{Dumps: directory})
	last := c.FlowSchemas[len(c.FlowSchemas)-1]
	assert.Equal(t, []string{"a", "new"}, []string{last.Name, last.Spec.PriorityLevelConfiguration.Name})
	notes := strings.Join(c.Notes, "\n")
	assert.Contains(t, notes, "a.txt:1.")
	assert.Contains(t, notes, "operator.log, "+directory+"/rbac.yaml. They have no flow schema")
}

func TestSavedObjectsWithoutAnswers(t *testing.T) {
	directory := t.TempDir()
	write(t, directory, map[string]string{"a.yaml": schemaYAML("a", "v1", "l"), "pods.json": `{"kind":"PodList","items":[]}`})
	s := newSource(t, source.Options{Dumps: directory})
	states, err := s.Replicas(t.Context(), source.Want{Levels: true})
	require.NoError(t, err)
	assert.Empty(t, states)
	_, err = s.Replicas(t.Context(), source.Want{Levels: true, Required: true})
	require.Error(t, err)
	assert.ErrorContains(t, err, "has no answers of an API server: must have")
	assert.ErrorContains(t, err, "pods.json. It has no flow schema")
}
