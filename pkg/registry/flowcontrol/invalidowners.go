//go:build !k8s0.35

package flowcontrol

import (
	"errors"
	"regexp"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// ownersInJSON shows invalid owners in the error of an update in JSON. The library validates metadata
// before the strategy does, and before 0.34 shows owners in Go syntax with addresses. The strategy's causes are
// of the same failures, in the same order, and follow.
func ownersInJSON(err error) error {
	var status *apierrors.StatusError
	if !errors.As(err, &status) || status.ErrStatus.Details == nil || len(status.ErrStatus.Details.Causes) == 0 {
		return err
	}
	// The submatch is what is wrong with an owner, or with a list of owners.
	ownerInGo := regexp.MustCompile(`^Invalid value: (?:\[\])?v1\.OwnerReference\{.*\}(: .*)$`)
	ownerInJSON := regexp.MustCompile(`^Invalid value: \[?\{.*\}\]?(: .*)$`)
	type failure struct{ field, wrong string }
	causes, inJSON := status.ErrStatus.Details.Causes, map[failure][]string{}
	for _, cause := range causes {
		if wrong := ownerInJSON.FindStringSubmatch(cause.Message); wrong != nil {
			of := failure{cause.Field, wrong[1]}
			inJSON[of] = append(inJSON[of], cause.Message)
		}
	}
	replaced := map[failure]int{}
	var removed []string // pairs of a text and its replacement
	for i, cause := range causes {
		wrong := ownerInGo.FindStringSubmatch(cause.Message)
		if wrong == nil {
			continue
		}
		of := failure{cause.Field, wrong[1]}
		if same := inJSON[of]; len(same) > 0 {
			causes[i].Message = same[replaced[of]%len(same)]
			replaced[of]++
			removed = append(removed, cause.Field+": "+cause.Message+", ", "")
		}
	}
	if len(removed) > 0 {
		status.ErrStatus.Message = strings.NewReplacer(removed...).Replace(status.ErrStatus.Message)
	}
	return err
}
