package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

const (
	// nothingFlag makes this program the server that does nothing. It is a
	// separate process, so that its distance from the client equals the other
	// servers'.
	nothingFlag  = "do-nothing"
	nothingGroup = "nothing.example.com"
	nothingPath  = "/apis/" + nothingGroup + "/v1/flowschemas/" + asked
	// The files in its directory, beside its certificate and key.
	addressFile = "address"
	answerFile  = "answer.json"
)

// nothing is a server with one constant answer.
type nothing struct{ port int }

// startNothing starts the server and waits until it answers.
func startNothing(o *harness.Owner, serving harness.Pair, answer []byte) nothing {
	program, err := os.Executable()
	o.Check(err)
	dir := filepath.Dir(serving.CertFile)
	port := harness.FreePorts(o, 1)[0]
	o.Check(os.WriteFile(filepath.Join(dir, addressFile), []byte("127.0.0.1:"+strconv.Itoa(port)), 0o600))
	o.Check(os.WriteFile(filepath.Join(dir, answerFile), answer, 0o600))
	harness.StartProcess(o, harness.Command{Path: program, Args: []string{"--" + nothingFlag + "=" + dir}})
	return nothing{port: port}
}

// doNothing serves until ctx ends.
func doNothing(ctx context.Context, dir string) error {
	address, err := os.ReadFile(filepath.Join(dir, addressFile))
	if err != nil {
		return err
	}
	answer, err := os.ReadFile(filepath.Join(dir, answerFile))
	if err != nil {
		return err
	}
	server := &http.Server{Addr: string(address), Handler: nothingHandler(answer), ReadHeaderTimeout: time.Minute}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	err = server.ListenAndServeTLS(filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key"))
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// nothingHandler serves the constant answer, and the discovery document that
// the aggregator uses as an availability check.
func nothingHandler(answer []byte) http.Handler {
	discovery := fmt.Appendf(nil, `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"%s/v1","resources":[]}`, nothingGroup)
	say := func(content []byte) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write(content) // fails only if the client disconnected
		}
	}
	mux := http.NewServeMux()
	mux.Handle(nothingPath, say(answer))
	mux.Handle("/apis/"+nothingGroup+"/v1", say(discovery))
	return mux
}
