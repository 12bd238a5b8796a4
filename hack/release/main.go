// Command release builds what a release publishes, into dist/:
//
//	go run ./hack/release -release=0.2.0 [-programs=kubectl-apf] [-platforms=linux/amd64] [-dir=dist]
//
//	flowcontrol-apiserver_OS_ARCH.tar.gz   the server, with its systemd unit
//	kubectl-apf_OS_ARCH.tar.gz             the plug-in; .zip for Windows
//	apf.yaml                               krew's manifest of the plug-in
//	PROGRAM.cdx.json                       the modules of a program (CycloneDX 1.6)
//	install-OVERLAY.yaml                   each overlay of artifacts/ as one file
//	flowcontrol-apiserver-VERSION.tgz      the Helm chart
//	flowcontrol-apiserver-artifacts.tar.gz artifacts/, whose install.sh installs an overlay
//	RELEASE_NOTES.md                       the section of CHANGELOG.md
//	checksums.txt                          SHA-256 of the others
//
// The manifests name the image of the release. The same commit, Go release and flags give
// the same bytes. -programs and -platforms build a part: archives, krew's manifest if all
// platforms are there, and checksums.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/program"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
)

// release is what is built.
type release struct {
	// root is the top of the repository, dir where files are written. Both are absolute.
	root, dir string
	// version is the release without "v", as 0.2.0.
	version string
	// revision is the commit, committed its time.
	revision  string
	committed time.Time
	// programs and platforms restrict what is built; empty: all.
	programs, platforms []string
}

func main() {
	r := &release{}
	var programs, platforms string
	flag.StringVar(&r.version, "release", "", "the release, as 0.2.0; required")
	flag.StringVar(&r.dir, "dir", "dist", "the directory of the files, relative to the top of the repository")
	flag.StringVar(&programs, "programs", "", "the programs to build, separated by commas; empty: all, and what a release has besides")
	flag.StringVar(&platforms, "platforms", "", "the platforms to build for, as linux/amd64,darwin/arm64; empty: all")
	flag.Parse()
	r.programs, r.platforms = list(programs), list(platforms)
	program.Run(r.run)
}

func list(text string) []string {
	return strings.FieldsFunc(text, func(c rune) bool { return c == ',' })
}

// partial reports whether only a part of a release is built.
func (r *release) partial() bool { return len(r.programs)+len(r.platforms) > 0 }

func (r *release) run(ctx context.Context) error {
	if err := r.complete(ctx); err != nil {
		return err
	}
	archives, err := r.writeArchives(ctx)
	if err != nil {
		return err
	}
	if err := r.writeKrewManifest(archives); err != nil {
		return err
	}
	if !r.partial() {
		for _, write := range []func(context.Context) error{r.writeNotes, r.writeArtifacts, r.writeChart, r.writeManifests} {
			if err := write(ctx); err != nil {
				return err
			}
		}
	}
	return r.writeChecksums()
}

// complete checks the flags and finds out the rest.
func (r *release) complete(ctx context.Context) error {
	r.version = strings.TrimPrefix(r.version, "v")
	if !regexp.MustCompile(`^\d+\.\d+\.\d+(-[0-9A-Za-z.]+)?$`).MatchString(r.version) {
		return fmt.Errorf("-release=%s: it must be a version as 0.2.0", r.version)
	}
	var err error
	if r.root, err = binaries.Root(); err != nil {
		return err
	}
	if !filepath.IsAbs(r.dir) {
		r.dir = filepath.Join(r.root, r.dir)
	}
	var changed bool
	if r.revision, r.committed, changed, err = commit(ctx, r.root); err != nil {
		return err
	}
	if changed {
		if !r.partial() {
			return errors.New("files differ from the commit, so nobody could build this release again: commit them first, or remove them (git status shows them)")
		}
		r.revision += "-dirty"
	}
	if !r.partial() {
		// Before minutes of compiling.
		if _, err := r.notes(); err != nil {
			return err
		}
	}
	return os.MkdirAll(r.dir, 0o755)
}

// write writes a file of the release and prints its path.
func (r *release) write(name string, content []byte) error {
	path := filepath.Join(r.dir, name)
	if err := os.WriteFile(path, content, 0o644); err != nil {
		return err
	}
	fmt.Println(path)
	return nil
}
