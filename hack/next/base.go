package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// base is a release of k8s.io, as 0.37.2, and its minor, 37.
type base struct {
	version string
	minor   int
}

func newBase(version string) (base, error) {
	parts := strings.Split(version, ".")
	minor, err := strconv.Atoi(parts[min(1, len(parts)-1)])
	if err != nil || len(parts) < 3 || parts[0] != "0" {
		return base{}, fmt.Errorf("%q is no release of k8s.io: name a version, such as 0.38.0-alpha.2; `go list -m -versions k8s.io/apiserver` lists them", version)
	}
	return base{version, minor}, nil
}

// names returns the names of the libraries and of Kubernetes, as 0.37 and 1.37.
func (b base) names() (libraries, kubernetes string) {
	return fmt.Sprintf("0.%d", b.minor), fmt.Sprintf("1.%d", b.minor)
}

// findBases returns the release that is named, by a row of hack/base.sh or a version, and the
// newest base that is known below it.
func findBases(root, named string) (release, previous base, err error) {
	known, err := knownBases(root)
	if err != nil {
		return base{}, base{}, err
	}
	release, found := known[named]
	if !found {
		if release, err = newBase(named); err != nil {
			return base{}, base{}, err
		}
	}
	for _, b := range known {
		if previous.minor < b.minor && b.minor < release.minor {
			previous = b
		}
	}
	if previous.minor == 0 {
		return base{}, base{}, fmt.Errorf("no base before %s is known: name a later release", release.version)
	}
	return release, previous, nil
}

// knownBases are the release of go.mod and the rows of hack/base.sh, by name, such as 0.37.
func knownBases(root string) (map[string]base, error) {
	known := map[string]base{}
	for file, row := range map[string]string{
		"go.mod":       `(?m)^\tk8s\.io/apiserver v(\S+)$`,
		"hack/base.sh": `(?m)^0\.\d+\) release=(\S+)`,
	} {
		content, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			return nil, err
		}
		found := regexp.MustCompile(row).FindAllStringSubmatch(string(content), -1)
		if len(found) == 0 {
			return nil, fmt.Errorf("%s names no release of k8s.io/apiserver: it must match %s", file, row)
		}
		for _, match := range found {
			b, err := newBase(match[1])
			if err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			name, _ := b.names()
			known[name] = b
		}
	}
	return known, nil
}
