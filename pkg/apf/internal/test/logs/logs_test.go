package logs_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/klog/v2"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/test/logs"
)

func TestLinesUpToTheVerbosityAreRecorded(t *testing.T) {
	t.Run("verbosity 2", func(t *testing.T) {
		log := logs.Record(t, "2")
		klog.V(2).InfoS("Said")
		klog.V(3).InfoS("Not said")
		assert.Contains(t, log.String(), `"Said"`)
		assert.NotContains(t, log.String(), "Not said")
	})
	assert.False(t, klog.V(2).Enabled(), "the verbosity ends with the test")
}
