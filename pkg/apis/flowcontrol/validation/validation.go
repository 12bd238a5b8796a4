package validation

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	apimachineryvalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// validateMetadata checks the metadata of an object without a namespace. A
// finalizer has to say whose it is, by a domain before a slash, unless it is
// one of those that the garbage collector and the namespace controller know.
func validateMetadata(metadata *metav1.ObjectMeta, path *field.Path) field.ErrorList {
	errs := apimachineryvalidation.ValidateObjectMeta(metadata, false, apimachineryvalidation.NameIsDNSSubdomain, path)
	for i, finalizer := range metadata.Finalizers {
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

// validateConditionTypes checks that each condition has a type, and no two the
// same.
func validateConditionTypes[T ~string](types []T, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	seen := sets.New[T]()
	for i, conditionType := range types {
		typePath := path.Index(i).Child("type")
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

// forbiddenMember reports a member of a union that another discriminator asks for.
func forbiddenMember[T any](member *T, path *field.Path, fault string) field.ErrorList {
	if member == nil {
		return nil
	}
	return field.ErrorList{field.Forbidden(path, fault)}
}

// validateNotNegative lets nil pass: it is either a default or no bound.
func validateNotNegative(value *int32, path *field.Path) field.ErrorList {
	if value == nil || *value >= 0 {
		return nil
	}
	return invalid(path, *value, []string{"must be greater than or equal to 0"})
}

// validatePercent lets nil pass, which is a default.
func validatePercent(value *int32, path *field.Path) field.ErrorList {
	if value == nil || (*value >= 0 && *value <= 100) {
		return nil
	}
	return invalid(path, *value, []string{"must be between 0 and 100, inclusive"})
}

// invalid makes an error of each fault.
func invalid(path *field.Path, value any, faults []string) field.ErrorList {
	var errs field.ErrorList
	for _, fault := range faults {
		errs = append(errs, field.Invalid(path, value, fault))
	}
	return errs
}
