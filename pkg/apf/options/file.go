package options

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"time"

	utilclock "k8s.io/utils/clock"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/periodic"
)

// fileInterval is the time between two looks at the file. A mounted ConfigMap changes through
// symbolic links after a minute or so, which a watch on the file would miss.
const fileInterval = 10 * time.Second

// file is the source of manifests at a path.
type file struct {
	path    string
	sources *sources
	clock   utilclock.WithTicker
	// last is what was read last, nil if it could not be read.
	last map[string][]byte
}

// follow reads the path repeatedly until the context ends.
func (f *file) follow(ctx context.Context) {
	periodic.Run(ctx, f.clock, fileInterval, f.read)
}

// read offers what is at the path if it has changed.
func (f *file) read() {
	paths, contents, err := readPath(f.path)
	if err != nil {
		f.last = nil
		f.sources.complain(fromFile, err)
		return
	}
	if f.last != nil && maps.EqualFunc(contents, f.last, bytes.Equal) {
		return
	}
	f.last = contents
	m, err := parse(paths, contents)
	if err != nil {
		f.sources.complain(fromFile, fmt.Errorf("%s: %w", f.path, err))
		return
	}
	f.sources.offer(fromFile, f.path, m.levels, m.schemas, nil)
}
