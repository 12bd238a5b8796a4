// Package repo holds tests of the project's rules that compilers and linters do
// not check. It has no other code.
package repo
