package main

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
)

// image is the image in artifacts/, and imageTag its tag there.
const (
	image    = "ghcr.io/flowcontrol-apiserver/flowcontrol-apiserver:"
	imageTag = "v0.1.0"
)

// artifacts returns the files of artifacts/, with the image of the release.
func (r *release) artifacts() ([]file, error) {
	var files []file
	named := 0
	top := filepath.Join(r.root, "artifacts")
	err := filepath.WalkDir(top, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		named += bytes.Count(content, []byte(image+imageTag))
		content = bytes.ReplaceAll(content, []byte(image+imageTag), []byte(image+"v"+r.version))
		name, err := filepath.Rel(r.root, path)
		files = append(files, file{filepath.ToSlash(name), 0o644 | info.Mode()&0o111, content})
		return err
	})
	if err == nil && named == 0 {
		err = fmt.Errorf("no file in artifacts/ names the image %s%s", image, imageTag)
	}
	return files, err
}

// writeArtifacts packs artifacts/.
func (r *release) writeArtifacts(context.Context) error {
	files, err := r.artifacts()
	if err != nil {
		return err
	}
	packed, err := packTar(files)
	if err != nil {
		return err
	}
	return r.write("flowcontrol-apiserver-artifacts.tar.gz", packed)
}

// writeChart packs artifacts/chart as helm does, with the version of the release.
func (r *release) writeChart(context.Context) error {
	files, err := r.artifacts()
	if err != nil {
		return err
	}
	var chart []file
	for _, f := range files {
		name, inside := strings.CutPrefix(f.name, "artifacts/chart/")
		if !inside {
			continue
		}
		if name == "Chart.yaml" {
			f.content = regexp.MustCompile(`(?m)^(version: |appVersion: v).*$`).ReplaceAll(f.content, []byte("${1}"+r.version))
		}
		f.name = "flowcontrol-apiserver/" + name
		chart = append(chart, f)
	}
	packed, err := packTar(chart)
	if err != nil {
		return err
	}
	return r.write("flowcontrol-apiserver-"+r.version+".tgz", packed)
}

// writeManifests renders each overlay that installs the server to one file.
func (r *release) writeManifests(ctx context.Context) error {
	files, err := r.artifacts()
	if err != nil {
		return err
	}
	kubectl, err := binaries.Kubectl(ctx)
	if err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "release")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	if err := unpack(scratch, files); err != nil {
		return err
	}
	overlays, err := os.ReadDir(filepath.Join(scratch, "artifacts", "overlays"))
	if err != nil {
		return err
	}
	for _, overlay := range overlays {
		if strings.HasPrefix(overlay.Name(), "return-") {
			continue
		}
		manifest, err := output(ctx, scratch, kubectl, "kustomize", filepath.Join("artifacts", "overlays", overlay.Name()))
		if err != nil {
			return err
		}
		if err := r.write("install-"+overlay.Name()+".yaml", []byte(manifest)); err != nil {
			return err
		}
	}
	return nil
}

// unpack writes files below a directory.
func unpack(dir string, files []file) error {
	for _, f := range files {
		path := filepath.Join(dir, filepath.FromSlash(f.name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(path, f.content, f.mode); err != nil {
			return err
		}
	}
	return nil
}
