package storage

import (
	"context"

	"k8s.io/apiserver/pkg/warning"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint"
)

// Warn sends the findings about a written object as warnings.
func Warn(ctx context.Context, findings []lint.Finding) {
	for _, finding := range findings {
		warning.AddWarning(ctx, "", finding.String())
	}
}
