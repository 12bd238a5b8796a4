package repo

import "slices"

// pending are the files whose faults are logged and not reported until they are
// mended; then this file goes.
func pending() []string {
	return []string{
		"test/e2e/artifacts/certificates_test.go",
		"test/e2e/conformance/flowcontrol_test.go",
		"test/e2e/conformance/run_test.go",
		"test/e2e/harness/cluster/cluster.go",
		"test/e2e/harness/cluster/network.go",
		"test/e2e/harness/cluster/node.go",
		"test/e2e/harness/harness_test.go",
		"test/e2e/harness/process.go",
		"test/e2e/image/build_linux_test.go",
		"test/e2e/image/image_linux_test.go",
		"test/e2e/outage_test.go",
		"test/e2e/rotation/wire_test.go",
		"test/e2e/roundtrip/twins_test.go",
		"test/e2e/site_test.go",
		"test/e2e/startup_test.go",
		"test/e2e/stop_test.go",
		"test/e2e/upstream/gate_test.go",
		"test/e2e/upstream/site_test.go",
		"test/e2e/watchmodel/stress_test.go",
	}
}

func isPending(name string) bool { return slices.Contains(pending(), name) }
