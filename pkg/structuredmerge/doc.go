// Package structuredmerge names the types of structured-merge-diff that this server needs.
// k8s.io/apiserver has them in its interfaces, and its releases need different major
// versions. No other package imports structured-merge-diff, except generated code.
package structuredmerge
