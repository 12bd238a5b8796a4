// Package commands_test compares the requests that package kubectl finds for kubectl commands
// with the requests that kubectl sends to a real kube-apiserver.
//
// testdata/requests.txt has them, written by
//
//	go test -tags=long -count=1 ./e2e/commands -run '^TestRecordings$' -update-recordings
package commands_test
