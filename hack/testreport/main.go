// Command testreport says what a run of the tests has come to. It reads the
// events that `go test -json` wrote, one file for each phase, and prints which
// tests failed and how to repeat each, which passed only on retry, the slowest,
// and how often each program was started.
//
// Tests that passed on retry are also written to the file retried.txt beside the
// events: each is a defect to mend, although it keeps no change out.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	dir := flag.String("dir", filepath.Join(".cache", "test"), "folder of the event files, PHASE.json each")
	flag.Parse()
	if err := run(*dir); err != nil {
		fmt.Fprintln(os.Stderr, "testreport:", err)
		os.Exit(1)
	}
}

func run(dir string) error {
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return fmt.Errorf("no event files in %s: run 'make test' first", dir)
	}
	r := newReport(filepath.Join(dir, "logs"))
	for _, file := range files {
		if err := r.readFile(file); err != nil {
			return fmt.Errorf("reading %s: %w", file, err)
		}
	}
	fmt.Print(r.text())
	return os.WriteFile(filepath.Join(dir, "retried.txt"), []byte(r.retriedText()), 0o644)
}
