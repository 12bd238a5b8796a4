package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

const module = "github.com/flowcontrol-apiserver/flowcontrol-apiserver"

// published is a program of the release.
type published struct {
	name string
	// module is the folder of its module, and main its package there.
	module, main string
	// systems are the operating systems that it runs on.
	systems []string
	// maxSize is the size that it must not exceed, in bytes.
	maxSize int
	// variables are what -X sets to the version and to the revision, if any.
	version, revision string
	// files are the paths of further files of its archives.
	files []string
}

func publishedPrograms() []published {
	return []published{{
		name:   "flowcontrol-apiserver",
		module: ".", main: "./cmd/flowcontrol-apiserver",
		// The locks, sockets and owners of files that it depends on are Unix's.
		systems: []string{"darwin", "linux"},
		maxSize: 120 << 20,
		version: module + "/pkg/server.productVersion", revision: module + "/pkg/server.revision",
		files: []string{"LICENSE", "artifacts/systemd/flowcontrol-apiserver.service"},
	}, {
		name:   pluginName,
		module: pluginName, main: ".",
		systems: []string{"darwin", "linux", "windows"},
		maxSize: 60 << 20,
		version: module + "/kubectl-apf/command.release",
		files:   []string{"LICENSE"},
	}}
}

// archive is the program of one platform, packed.
type archive struct {
	OS, Arch string
	// Name is the name of the archive, Program the name of the program in it.
	Name, Program string
	// SHA256 is the checksum of the archive, in hexadecimal.
	SHA256 string
}

// archives returns the archives of a program, without checksums.
func (p *published) archives() []archive {
	var archives []archive
	for _, system := range p.systems {
		for _, arch := range []string{"amd64", "arm64"} {
			a := archive{OS: system, Arch: arch, Program: p.name, Name: fmt.Sprintf("%s_%s_%s.tar.gz", p.name, system, arch)}
			if system == "windows" {
				a.Program, a.Name = p.name+".exe", fmt.Sprintf("%s_%s_%s.zip", p.name, system, arch)
			}
			archives = append(archives, a)
		}
	}
	return archives
}

// writeArchives builds and packs the programs, and returns the archives of the plug-in.
func (r *release) writeArchives(ctx context.Context) (plugin []archive, err error) {
	programs := publishedPrograms()
	for i := range programs {
		p := &programs[i]
		if len(r.programs) > 0 && !slices.Contains(r.programs, p.name) {
			continue
		}
		archives := slices.DeleteFunc(p.archives(), func(a archive) bool {
			return len(r.platforms) > 0 && !slices.Contains(r.platforms, a.OS+"/"+a.Arch)
		})
		for j := range archives {
			if err := r.writeArchive(ctx, p, &archives[j]); err != nil {
				return nil, fmt.Errorf("%s: %w", archives[j].Name, err)
			}
		}
		if p.name == pluginName {
			plugin = archives
		}
	}
	return plugin, nil
}

// writeArchive builds a program for a platform and packs it. It names a program's modules on Linux
// on amd64; on other platforms only a few modules of the operating system differ.
func (r *release) writeArchive(ctx context.Context, p *published, a *archive) error {
	built, err := r.build(ctx, p, a)
	if err != nil {
		return err
	}
	if len(built) > p.maxSize {
		return fmt.Errorf("%s has %d bytes, and must have at most %d: look for a large dependency", a.Program, len(built), p.maxSize)
	}
	packed, err := r.pack(p, a, built)
	if err != nil {
		return err
	}
	a.SHA256 = checksum(packed)
	if err := r.write(a.Name, packed); err != nil || r.partial() || a.OS != "linux" || a.Arch != "amd64" {
		return err
	}
	return r.writeSBOM(ctx, p.name, built)
}

func (r *release) pack(p *published, a *archive, built []byte) ([]byte, error) {
	files := []file{{a.Program, 0o755, built}}
	for _, path := range p.files {
		content, err := os.ReadFile(filepath.Join(r.root, filepath.FromSlash(path)))
		if err != nil {
			return nil, err
		}
		files = append(files, file{filepath.Base(path), 0o644, content})
	}
	if a.OS == "windows" {
		return packZip(files)
	}
	return packTar(files)
}

// build returns the program.
func (r *release) build(ctx context.Context, p *published, a *archive) ([]byte, error) {
	scratch, err := os.MkdirTemp("", "release")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	flags := "-s -w -buildid= -X " + p.version + "=" + r.version
	if p.revision != "" {
		flags += " -X " + p.revision + "=" + r.revision
	}
	path := filepath.Join(scratch, a.Program)
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-pgo=auto", "-ldflags="+flags, "-o", path, p.main)
	build.Dir = filepath.Join(r.root, p.module)
	build.Env = append(os.Environ(), "GOOS="+a.OS, "GOARCH="+a.Arch, "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=")
	if output, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, output)
	}
	return os.ReadFile(path)
}
