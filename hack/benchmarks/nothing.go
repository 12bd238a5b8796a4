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
	// nothingFlag makes the program the server that does nothing; as a process of
	// its own it is as far from the client as the others are.
	nothingFlag  = "do-nothing"
	nothingGroup = "nothing.example.com"
	nothingPath  = "/apis/" + nothingGroup + "/v1/flowschemas/" + asked
	// The files in its directory; its certificate and key are beside them.
	addressFile = "address"
	answerFile  = "answer.json"
)

// nothing is a server that knows one answer and gives it to whoever asks.
type nothing struct{ port int }

// startNothing starts it and waits until it answers.
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

// nothingHandler gives the one answer, and the discovery by which an aggregator
// sees that the server is there.
func nothingHandler(answer []byte) http.Handler {
	discovery := fmt.Appendf(nil, `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"%s/v1","resources":[]}`, nothingGroup)
	say := func(content []byte) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write(content) // a client that is gone needs no answer
		}
	}
	mux := http.NewServeMux()
	mux.Handle(nothingPath, say(answer))
	mux.Handle("/apis/"+nothingGroup+"/v1", say(discovery))
	return mux
}
