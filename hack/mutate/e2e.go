package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// e2ePackages returns the folders of the end-to-end tests, ordered by their
// durations in an earlier run. It leaves out the harness and the image: they
// run no code of the product that other tests do not run.
func e2ePackages(t *tree, events string) []string {
	seconds := durations(events)
	var folders []string
	for _, p := range t.packages {
		folder := p.folder()
		if strings.HasPrefix(folder, "test/e2e") && p.hasTests() && !strings.HasPrefix(folder, "test/e2e/harness") && folder != "test/e2e/image" {
			folders = append(folders, folder)
		}
	}
	slices.SortFunc(folders, func(a, b string) int {
		return cmp.Or(cmp.Compare(secondsOf(seconds, a), secondsOf(seconds, b)), strings.Compare(a, b))
	})
	return folders
}

func secondsOf(seconds map[string]float64, folder string) float64 {
	if known, ok := seconds[folder]; ok {
		return known
	}
	return math.Inf(1)
}

// durations returns the durations of packages, by folder. Unreadable files are
// ignored.
func durations(glob string) map[string]float64 {
	seconds := map[string]float64{}
	files, _ := filepath.Glob(glob) // a bad pattern matches nothing
	for _, path := range files {
		file, err := os.Open(path)
		if err != nil {
			continue
		}
		scanner := bufio.NewScanner(file)
		scanner.Buffer(nil, 16<<20)
		for scanner.Scan() {
			var e event
			if json.Unmarshal(scanner.Bytes(), &e) == nil && e.Test == "" && (e.Action == "pass" || e.Action == "fail") {
				folder := strings.TrimPrefix(e.Package, modulePath+"/")
				seconds[folder] = max(seconds[folder], e.Elapsed)
			}
		}
		_ = file.Close()
	}
	return seconds
}
