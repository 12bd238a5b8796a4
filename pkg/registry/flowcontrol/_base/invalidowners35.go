//go:build k8s0.35

package flowcontrol

// ownersInJSON returns the error as it is: the library shows values in JSON since 0.34. The call goes
// when go.mod requires that release.
func ownersInJSON(err error) error { return err }
