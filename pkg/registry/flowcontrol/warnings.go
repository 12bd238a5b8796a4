package flowcontrol

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/warning"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint"
)

// warn sends the findings about a written object as warnings.
func warn(ctx context.Context, findings []lint.Finding) {
	for _, finding := range findings {
		warning.AddWarning(ctx, "", finding.String())
	}
}

// warnOfDeletion warns of an update that a deletion will undo. An update that only
// changes finalizers is part of the deletion.
func warnOfDeletion(ctx context.Context, updated, old metav1.Object) {
	if updated.GetDeletionTimestamp() == nil ||
		updated.GetGeneration() == old.GetGeneration() && !slices.Equal(updated.GetFinalizers(), old.GetFinalizers()) {
		return
	}
	text := fmt.Sprintf("metadata.deletionTimestamp: This object is being deleted since %s, and this change is lost with it. ",
		updated.GetDeletionTimestamp().UTC().Format(time.RFC3339))
	if finalizers := updated.GetFinalizers(); len(finalizers) > 0 {
		text += fmt.Sprintf("It stays until its finalizers are removed (%s); then create it again.", strings.Join(finalizers, ", "))
	} else {
		text += "Create it again."
	}
	warning.AddWarning(ctx, "", text)
}
