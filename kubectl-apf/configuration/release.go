package configuration

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/version"
)

// Release is a minor release of Kubernetes, such as "1.33".
type Release string

// The releases whose built-in objects are known.
const (
	Oldest Release = "1.29"
	Newest Release = "1.37"
)

// ReleaseOf returns the release of a version such as "v1.33.4+k3s1"; "" if it is not
// one.
func ReleaseOf(text string) Release {
	v, err := version.ParseGeneric(text)
	if err != nil {
		return ""
	}
	return Release(fmt.Sprintf("%d.%d", v.Major(), v.Minor()))
}

// Releases returns the releases whose built-in objects are known, the oldest first.
func Releases() []Release {
	var releases []Release
	for minor := Oldest.version().Minor(); minor <= Newest.version().Minor(); minor++ {
		releases = append(releases, Release(fmt.Sprintf("1.%d", minor)))
	}
	return releases
}

// version returns the release as a version; 0.0 if it is not a release.
func (r Release) version() *version.Version {
	v, err := version.ParseGeneric(string(r))
	if err != nil {
		return version.MajorMinor(0, 0)
	}
	return v
}

// OlderThan reports whether a release is older, by number: 1.9 is older than 1.29. What is not a release is
// older than every release.
func (r Release) OlderThan(other Release) bool { return r.version().LessThan(other.version()) }

// Minor returns the number of the minor release; if that is not known, the newest one's.
func (r Release) Minor() (minor int, known bool) {
	if v := r.version(); v.Major() > 0 {
		return int(v.Minor()), true
	}
	return int(Newest.version().Minor()), false
}
