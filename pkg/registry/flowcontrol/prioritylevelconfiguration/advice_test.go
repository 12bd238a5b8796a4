package prioritylevelconfiguration

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apiserver/pkg/warning"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint"
)

// recorder records warnings.
type recorder struct{ texts []string }

func (r *recorder) AddWarning(_, text string) { r.texts = append(r.texts, text) }

// empty is a store without objects.
type empty struct{ lint.Reader }

func (empty) FlowSchemas(context.Context, lint.UserMask) ([]*flowcontrolv1.FlowSchema, error) {
	return nil, nil
}

func (empty) PriorityLevels(context.Context) ([]*flowcontrolv1.PriorityLevelConfiguration, error) {
	return nil, nil
}

func TestFindingsAboutALevelAreWarnings(t *testing.T) {
	rest := &REST{advisor: lint.NewAdvisor(lint.Defaults{}, 0), stored: func() lint.Reader { return empty{} }}
	level := valid()
	var warnings recorder
	ctx := warning.WithWarningRecorder(t.Context(), &warnings)
	rest.warn(ctx, level)
	require.Empty(t, warnings.texts)

	level.Spec.Limited.LendablePercent = new(int32(100))
	rest.warn(ctx, level)
	require.Len(t, warnings.texts, 1)
	require.Regexp(t, `^FC209: spec\.limited\.lendablePercent: This level may lend all its seats`, warnings.texts[0])
}
