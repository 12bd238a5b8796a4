//go:build long

package plugin

import (
	"testing"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// TestRecordOfKubeAPIServer makes traces of the logs of both releases of kube-apiserver,
// which start once for each format of their lines: a minute.
func TestRecordOfKubeAPIServer(t *testing.T) {
	for name, program := range map[string]binaries.Build{"1.33": binaries.KubeAPIServer, "1.36": binaries.NextKubeAPIServer} {
		for _, format := range recordedFormats() {
			t.Run(name+"/"+format, func(t *testing.T) {
				auditLog, flags := recordingFlags(t, format)
				server := harness.StartKubeAPIServer(t, harness.KubeAPIServerOptions{
					Etcd: harness.StartEtcd(t, harness.EtcdOptions{}), Program: harness.Program(t, program), Args: flags,
				})
				server.Kubectl(t).RunInput(t, recordedRights, "apply", "-f", "-")
				checkRecord(t, &server.APIServer, auditLog, false)
			})
		}
	}
}
