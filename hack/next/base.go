package main

import (
	"cmp"
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

// named returns "0.37" and "1.37".
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
	if release, err = newBase(cmp.Or(known[named], named)); err != nil {
		return base{}, base{}, err
	}
	for _, version := range known {
		b, err := newBase(version)
		if err != nil {
			return base{}, base{}, err
		}
		if previous.minor < b.minor && b.minor < release.minor {
			previous = b
		}
	}
	if previous.minor == 0 {
		return base{}, base{}, fmt.Errorf("no base before %s is known: name a later release", release.version)
	}
	return release, previous, nil
}

// knownBases are the rows of hack/base.sh and the release of go.mod: versions by name.
func knownBases(root string) (map[string]string, error) {
	known := map[string]string{}
	for file, row := range map[string]string{
		"hack/base.sh": `(?m)^(0\.\d+)\) release=(\S+)`,
		"go.mod":       `(?m)^\tk8s\.io/apiserver v((0\.\d+)\.\d+)$`,
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
			name, version := match[1], match[2]
			if file == "go.mod" {
				name, version = version, name
			}
			known[name] = version
		}
	}
	return known, nil
}
