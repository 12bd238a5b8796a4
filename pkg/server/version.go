package server

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// productVersion is the release of this server, without the "v". Builds of a release
// set it with -X.
var productVersion = "0.1.0" //nolint:gochecknoglobals // see above

// revision is the commit that a release was built from. Builds of a release set it with
// -X; otherwise the go command knows it, if it saw a repository.
var revision string //nolint:gochecknoglobals // see above

// Build says what this program was built from.
type Build struct {
	// Version is the release, as v0.1.0.
	Version string `json:"version"`
	// Kubernetes is the release whose behaviour this server has, as v1.33.13.
	Kubernetes string `json:"kubernetes"`
	// Go is the release of Go that compiled it, as go1.26.0.
	Go string `json:"go"`
	// Platform is its operating system and architecture, as linux/amd64.
	Platform string `json:"platform"`
	// Revision is the commit of the source, with the suffix -dirty if files were
	// changed since; empty if it is unknown.
	Revision string `json:"revision,omitempty"`
}

// BuildInfo returns what this program was built from.
func BuildInfo() Build {
	return Build{
		Version:    "v" + productVersion,
		Kubernetes: kubernetesVersion,
		Go:         runtime.Version(),
		Platform:   runtime.GOOS + "/" + runtime.GOARCH,
		Revision:   sourceRevision(),
	}
}

// Version describes this server in a line.
func Version() string {
	build := BuildInfo()
	text := fmt.Sprintf("flowcontrol-apiserver %s (Kubernetes %s, %s, %s", build.Version, build.Kubernetes, build.Go, build.Platform)
	if build.Revision != "" {
		text += ", revision " + build.Revision
	}
	return text + ")"
}

func sourceRevision() string {
	if revision != "" {
		return revision
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	settings := make(map[string]string)
	for _, setting := range info.Settings {
		settings[setting.Key] = setting.Value
	}
	if commit := settings["vcs.revision"]; commit != "" && settings["vcs.modified"] == "true" {
		return commit + "-dirty"
	}
	return settings["vcs.revision"]
}
