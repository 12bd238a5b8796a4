// Package validation validates FlowSchemas and PriorityLevelConfigurations.
//
// Each function takes the hub form, after defaulting, and returns field errors with
// the paths of the served versions. Whether an object is valid, and the type, field and bad value
// of each error, agree with kube-apiserver 1.33; the module test/parity checks this. An update must
// pass the same checks as a create, except for what the registry itself forbids.
package validation

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apimachineryvalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// maxErrors bounds the errors about one object. The library joins their texts in time that grows with
// the square of their number: an object of 3 MB can have a million.
const maxErrors = 100

// bounded returns the first errors. The last one says that others are left out.
func bounded(errs field.ErrorList) field.ErrorList {
	if len(errs) <= maxErrors {
		return errs
	}
	last := *errs[maxErrors-1]
	last.Detail += "; further errors are left out"
	return append(errs[:maxErrors-1:maxErrors-1], &last)
}

// boundedEach validates each element of a list, until there are too many errors.
func boundedEach[T any](list []T, path *field.Path, validate func(element *T, path *field.Path) field.ErrorList) field.ErrorList {
	var errs field.ErrorList
	for i := range list {
		if len(errs) > maxErrors {
			break
		}
		errs = append(errs, validate(&list[i], path.Index(i))...)
	}
	return errs
}

// ValidateMetadataOfUpdate returns the errors about metadata if they are too many, or too long, for
// the library, which validates metadata before the strategy does in an update.
func ValidateMetadataOfUpdate(metadata *metav1.ObjectMeta) field.ErrorList {
	path := field.NewPath("metadata")
	if errs := validateMetadata(metadata, path); len(errs) >= maxErrors || len(validateControllers(metadata, path)) > 0 {
		return bounded(errs)
	}
	return nil
}

// validateMetadata validates the metadata of a cluster-scoped object. A finalizer must be qualified
// by a domain, except for finalizers of the garbage collector and the namespace controller.
func validateMetadata(metadata *metav1.ObjectMeta, path *field.Path) field.ErrorList {
	errs := validateControllers(metadata, path)
	if len(errs) > 0 {
		copied := *metadata
		copied.OwnerReferences = nil
		metadata = &copied
	}
	common := apimachineryvalidation.ValidateObjectMeta(metadata, false, apimachineryvalidation.NameIsDNSSubdomain, path)
	showInJSON(common)
	errs = append(errs, common...)
	for i, finalizer := range metadata.Finalizers {
		if len(errs) > maxErrors {
			break
		}
		switch finalizer {
		case string(corev1.FinalizerKubernetes), metav1.FinalizerOrphanDependents, metav1.FinalizerDeleteDependents:
		default:
			if !strings.Contains(finalizer, "/") {
				errs = append(errs, field.Invalid(path.Child("finalizers").Index(i), finalizer, "must be qualified by a domain, as in 'example.com/name', or be a standard finalizer"))
			}
		}
	}
	return errs
}

// maxControllers is how many controllers the library validates.
const maxControllers = 8

// validateControllers rejects owner references if very many are controllers. The library
// reports each controller after the first together with all owners, so 40,000 of them would give
// a message of gigabytes.
func validateControllers(metadata *metav1.ObjectMeta, path *field.Path) field.ErrorList {
	controllers := 0
	for i := range metadata.OwnerReferences {
		if controls := metadata.OwnerReferences[i].Controller; controls != nil && *controls {
			controllers++
		}
	}
	if controllers <= maxControllers {
		return nil
	}
	owners := shown{metadata.OwnerReferences, fmt.Sprintf("%d references", len(metadata.OwnerReferences))}
	return field.ErrorList{field.Invalid(path.Child("ownerReferences"), owners, fmt.Sprintf("must contain at most one reference with `controller` set to true, not %d", controllers))}
}

// validateConditionTypes checks that each condition of a status has a type and that no two have
// the same.
func validateConditionTypes[T any](conditions []T, typeOf func(*T) string) field.ErrorList {
	var errs field.ErrorList
	seen := sets.New[string]()
	for i := range conditions {
		if len(errs) > maxErrors {
			break
		}
		conditionType, typePath := typeOf(&conditions[i]), field.NewPath("status", "conditions").Index(i).Child("type")
		if seen.Has(conditionType) {
			errs = append(errs, field.Duplicate(typePath, conditionType))
		}
		seen.Insert(conditionType)
		if conditionType == "" {
			errs = append(errs, field.Required(typePath, "must not be empty"))
		}
	}
	return errs
}

// forbiddenMember returns an error if a member of a union is set that does not match
// the discriminator.
func forbiddenMember[T any](member *T, path *field.Path, detail string) field.ErrorList {
	if member == nil {
		return nil
	}
	return field.ErrorList{field.Forbidden(path, detail)}
}

// validateNotNegative accepts nil, which is either a default or no limit.
func validateNotNegative(value *int32, path *field.Path) field.ErrorList {
	if value == nil || *value >= 0 {
		return nil
	}
	return invalid(path, *value, []string{"must be greater than or equal to 0"})
}

// validatePercent accepts nil, which is a default.
func validatePercent(value *int32, path *field.Path) field.ErrorList {
	if value == nil || (*value >= 0 && *value <= 100) {
		return nil
	}
	return invalid(path, *value, []string{"must be between 0 and 100, inclusive"})
}

// invalid returns an error for each detail.
func invalid(path *field.Path, value any, details []string) field.ErrorList {
	var errs field.ErrorList
	for _, detail := range details {
		errs = append(errs, field.Invalid(path, value, detail))
	}
	return errs
}
