package explain

import (
	"bytes"
	"testing"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/logs"
)

// FuzzHistory checks that no line of an audit log makes its reader panic, nor the answer
// about an object of it.
func FuzzHistory(f *testing.F) {
	f.Add([]byte(`{"kind":"Event","objectRef":{"apiGroup":"flowcontrol.apiserver.k8s.io","resource":"flowschemas","uid":"u","name":"n"},"responseObject":{"items":[{"metadata":{}}]}}`))
	f.Add([]byte(`{"kind":"Event","verb":"delete","stage":"ResponseComplete","impersonatedUser":null,"requestObject":[],"responseObject":{"details":{"uid":1}}}`))
	f.Fuzz(func(_ *testing.T, line []byte) {
		summary, _ := logs.ReadAuditEvents("log", bytes.NewReader(line), (&History{}).Add)
		summary.Notes()
	})
}
