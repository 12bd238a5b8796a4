// Command pluginarchives builds kubectl-apf for all platforms, packs each program with
// the license into an archive, and writes their checksums and the manifest for krew:
//
//	go run ./hack/pluginarchives [-release=0.1.0] [-dir=dist]
//
// The same source, Go release and flags give the same bytes.
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"text/template"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/program"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
)

const (
	// releaseVariable is what -X sets.
	releaseVariable = "github.com/flowcontrol-apiserver/flowcontrol-apiserver/cmd/kubectl-apf/command.release"
	// maxSize is the size that a program must stay below, in bytes.
	maxSize  = 60 << 20
	manifest = "artifacts/kubectl-apf/apf.yaml.tmpl"
)

// archive is the program of one platform, packed.
type archive struct {
	OS, Arch string
	// Name is the name of the archive, Program that of the program in it.
	Name, Program string
	// SHA256 is the checksum of the archive, in hexadecimal.
	SHA256 string
}

// platforms returns the archives, without checksums.
func platforms() []archive {
	var archives []archive
	for _, system := range []string{"darwin", "linux", "windows"} {
		for _, arch := range []string{"amd64", "arm64"} {
			a := archive{OS: system, Arch: arch, Program: "kubectl-apf", Name: fmt.Sprintf("kubectl-apf_%s_%s.tar.gz", system, arch)}
			if system == "windows" {
				a.Program, a.Name = "kubectl-apf.exe", fmt.Sprintf("kubectl-apf_%s_%s.zip", system, arch)
			}
			archives = append(archives, a)
		}
	}
	return archives
}

func main() {
	release := flag.String("release", "0.1.0", "the release that `kubectl apf version` names")
	dir := flag.String("dir", "dist", "the directory of the archives, relative to the top of the repository")
	flag.Parse()
	program.Run(func(ctx context.Context) error { return run(ctx, *release, *dir) })
}

func run(ctx context.Context, release, dir string) error {
	root, err := binaries.Root()
	if err != nil {
		return err
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(root, dir)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	license, err := os.ReadFile(filepath.Join(root, "LICENSE"))
	if err != nil {
		return err
	}
	archives := platforms()
	for i := range archives {
		if err := archives[i].write(ctx, root, dir, release, license); err != nil {
			return fmt.Errorf("%s: %w", archives[i].Name, err)
		}
		fmt.Println(filepath.Join(dir, archives[i].Name))
	}
	return writeTexts(root, dir, release, archives)
}

// write builds the program and packs it.
func (a *archive) write(ctx context.Context, root, dir, release string, license []byte) error {
	built, err := a.build(ctx, root, release)
	if err != nil {
		return err
	}
	if len(built) > maxSize {
		return fmt.Errorf("%s has %d bytes, and must have at most %d: look for a large dependency", a.Program, len(built), maxSize)
	}
	pack := packTar
	if a.OS == "windows" {
		pack = packZip
	}
	packed, err := pack([]file{{a.Program, 0o755, built}, {"LICENSE", 0o644, license}})
	if err != nil {
		return err
	}
	sum := sha256.Sum256(packed)
	a.SHA256 = hex.EncodeToString(sum[:])
	return os.WriteFile(filepath.Join(dir, a.Name), packed, 0o644)
}

// build returns the program.
func (a *archive) build(ctx context.Context, root, release string) ([]byte, error) {
	scratch, err := os.MkdirTemp("", "pluginarchives")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	path := filepath.Join(scratch, a.Program)
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false",
		"-ldflags=-s -w -buildid= -X "+releaseVariable+"="+release, "-o", path, "./cmd/kubectl-apf")
	build.Dir = root
	build.Env = append(os.Environ(), "GOOS="+a.OS, "GOARCH="+a.Arch, "CGO_ENABLED=0", "GOWORK=off")
	if output, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, output)
	}
	return os.ReadFile(path)
}

// writeTexts writes the checksums and the manifest.
func writeTexts(root, dir, release string, archives []archive) error {
	var sums bytes.Buffer
	for i := range archives {
		fmt.Fprintf(&sums, "%s  %s\n", archives[i].SHA256, archives[i].Name)
	}
	if err := os.WriteFile(filepath.Join(dir, "checksums.txt"), sums.Bytes(), 0o644); err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join(root, manifest))
	if err != nil {
		return err
	}
	parsed, err := template.New(manifest).Option("missingkey=error").Parse(string(text))
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := parsed.Execute(&out, map[string]any{"Release": release, "Archives": archives}); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "apf.yaml"), out.Bytes(), 0o644)
}
