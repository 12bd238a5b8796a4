package configuration

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
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
func ReleaseOf(version string) Release {
	major, rest, _ := strings.Cut(strings.TrimPrefix(version, "v"), ".")
	minor := rest
	if end := strings.IndexFunc(rest, func(r rune) bool { return r < '0' || r > '9' }); end >= 0 {
		minor = rest[:end]
	}
	release := Release(major + "." + minor)
	if _, _, ok := release.numbers(); !ok {
		return ""
	}
	return release
}

// Releases returns the releases whose built-in objects are known, the oldest first.
func Releases() []Release {
	_, oldest, _ := Oldest.numbers()
	_, newest, _ := Newest.numbers()
	var releases []Release
	for minor := oldest; minor <= newest; minor++ {
		releases = append(releases, Release(fmt.Sprintf("1.%d", minor)))
	}
	return releases
}

// Compare compares releases by number: 1.9 is before 1.29. It is negative if r is the
// older one. What is not a release is older than every release.
func (r Release) Compare(other Release) int {
	major, minor, _ := r.numbers()
	otherMajor, otherMinor, _ := other.numbers()
	return cmp.Or(cmp.Compare(major, otherMajor), cmp.Compare(minor, otherMinor))
}

// Minor returns the number of the minor release; if that is not known, the newest one's.
func (r Release) Minor() (minor int, known bool) {
	if _, minor, ok := r.numbers(); ok {
		return minor, true
	}
	_, minor, _ = Newest.numbers()
	return minor, false
}

// numbers returns -1, -1, false if it is not a release.
func (r Release) numbers() (major, minor int, ok bool) {
	left, right, _ := strings.Cut(string(r), ".")
	major, err := strconv.Atoi(left)
	if err != nil || major < 0 {
		return -1, -1, false
	}
	minor, err = strconv.Atoi(right)
	if err != nil || minor < 0 {
		return -1, -1, false
	}
	return major, minor, true
}
