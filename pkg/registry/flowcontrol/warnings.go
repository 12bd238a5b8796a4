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

// advise sends what judge finds about a written object as warnings. judge gets half of the time
// that the request still has: the object is stored, so the answer must not be a timeout.
func advise(ctx context.Context, judge func(context.Context) []lint.Finding) {
	within := ctx
	if deadline, limited := ctx.Deadline(); limited {
		var cancel context.CancelFunc
		within, cancel = context.WithTimeout(ctx, time.Until(deadline)/2)
		defer cancel()
	}
	for _, finding := range judge(within) {
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
