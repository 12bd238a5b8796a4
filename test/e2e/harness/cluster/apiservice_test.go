package cluster

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAnAPIServiceIsAvailableAsItsSpecificationHasItNow(t *testing.T) {
	const service = `"service": {"namespace": "ours", "name": "ours"}`
	for _, test := range []struct {
		name, spec, conditions string
		available              bool
	}{
		{"through its Service", service, `{"type": "Available", "status": "True", "reason": "Passed", "message": "all checks passed"}`, true},
		{"in kube-apiserver", "", `{"type": "Available", "status": "True", "reason": "Local"}`, true},
		{"nothing is said yet", service, "", false},
		{"of another thing something is said", service, `{"type": "Other", "status": "True", "reason": "Passed"}`, false},
		{"its Service has nobody behind it", service, `{"type": "Available", "status": "False", "reason": "MissingEndpoints"}`, false},
		{"what is said is of the time before the Service", service, `{"type": "Available", "status": "True", "reason": "Local"}`, false},
		{"what is said is of the time of the Service", "", `{"type": "Available", "status": "True", "reason": "Passed"}`, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			var read apiService
			require.NoError(t, json.Unmarshal([]byte(`{"spec": {`+test.spec+`}, "status": {"conditions": [`+test.conditions+`]}}`), &read))
			require.Equal(t, test.available, read.available() == read.wanted())
		})
	}
}
