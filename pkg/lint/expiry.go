package lint

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/names"
)

// expiry is FC117: an object that is meant for a time.
func expiry(object Object, metadata metav1.Object, now time.Time) []Finding {
	text, meant := metadata.GetAnnotations()[names.ExpiresAnnotation]
	if !meant || now.IsZero() {
		return nil
	}
	field := "metadata.annotations[" + names.ExpiresAnnotation + "]"
	switch end, err := time.Parse(time.RFC3339, text); {
	case err != nil:
		return []Finding{finding(Expired, object, field, fmt.Sprintf("This object is meant for a time, but %q is not a time.", text), "Write a time such as 2026-01-02T15:04:05Z.")}
	case now.Before(end):
		return []Finding{finding(Expired, object, field, fmt.Sprintf("This object is meant until %s, in %s.", text, end.Sub(now).Round(time.Second)), "Delete it then.").as(Info)}
	default:
		return []Finding{finding(Expired, object, field, fmt.Sprintf("This object was meant until %s, and is still enforced.", text), "Delete it, or change the annotation.")}
	}
}
