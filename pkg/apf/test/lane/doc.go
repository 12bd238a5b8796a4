// Package lane selects how much a test tries.
//
// There are two lanes. The short lane, `make test`, is required for every
// change. It makes the same choices in every run, so that no change fails by
// chance. The long lane, `make test-long`, is built with the tag "long". It has
// the full counts, tests that take minutes, and new random choices in each run.
//
// A test that only the long lane runs is in a separate file that begins with
//
//	//go:build long
//
// and so is not part of the short lane; nothing is skipped. CONTRIBUTING.md
// lists these tests with the reason.
package lane
