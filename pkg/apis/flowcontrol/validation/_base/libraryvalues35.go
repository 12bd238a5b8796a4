//go:build k8s0.35

package validation

import "k8s.io/apimachinery/pkg/util/validation/field"

// showInJSON does nothing: the library shows values in JSON since 0.34. The call goes when go.mod
// requires that release.
func showInJSON(field.ErrorList) {}
