// Command testreport summarizes a run of the tests. It reads the output of `go
// test -json`, one file for each phase. It prints the failed tests with the
// commands to repeat them, the tests that passed only on retry, the slowest
// tests, and the number of starts of each program.
//
// Tests that passed on retry are also written to the file retried.txt beside
// the events. They do not fail the run, but each is a defect to fix.
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
