package harness

import (
	"context"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/ports"
)

// ServerOptions configures a process of this project's server. The zero value is
// the one-binary mode on an empty data directory.
type ServerOptions struct {
	// Program is the path of the server's binary; empty: the harness builds it.
	Program string
	// Etcd is the store; nil: the server's embedded one.
	Etcd *Etcd
	// DataDir is the server's data directory; empty: a new one.
	DataDir string
	// Args are additional flags. They override the harness's.
	Args []string
	// Env is added to the environment.
	Env []string
}

// Server is a process of this project's server.
type Server struct {
	APIServer
	// DataDir is its data directory.
	DataDir string
	// Port is its port on 127.0.0.1.
	Port int

	options ServerOptions
	path    string
}

// StartServer starts a server and waits until it is ready.
func StartServer(t TB, options ServerOptions) *Server {
	t.Helper()
	s := LaunchServer(t, options)
	await(t, s.WaitReady)
	return s
}

// LaunchServer starts a server and does not wait, for tests where the server must not become ready.
func LaunchServer(t TB, options ServerOptions) *Server {
	t.Helper()
	path := options.Program
	if path == "" {
		path = Program(t, binaries.Server)
	}
	if options.DataDir == "" {
		options.DataDir = filepath.Join(ShortDir(t), "data")
	}
	s := &Server{
		DataDir: options.DataDir,
		Port:    ports.Free(t, 1)[0],
		options: options,
		path:    path,
	}
	s.URL = "https://" + ports.Loopback(s.Port)
	s.Kubeconfig = filepath.Join(options.DataDir, "admin.kubeconfig")
	s.command = s.processCommand
	s.Launch(t)
	return s
}

func (s *Server) processCommand(t TB) Command {
	t.Helper()
	args := []string{
		"--data-dir=" + s.DataDir,
		"--bind-address=127.0.0.1",
		"--secure-port=" + strconv.Itoa(s.Port),
	}
	if s.options.Etcd != nil {
		args = append(args, s.options.Etcd.ServerArgs(t)...)
	}
	return Command{Path: s.path, Args: slices.Concat(args, s.options.Args), Env: s.options.Env}
}

// RunServer is RunProgram of the server. Tests use it for arguments that the server must
// reject.
func RunServer(t TB, args ...string) (exitCode int, output string) {
	t.Helper()
	return RunProgram(t, Program(t, binaries.Server), args...)
}

// RunProgram runs a program with exactly these arguments until it ends by itself.
// It returns the exit status and the output.
func RunProgram(t TB, path string, args ...string) (exitCode int, output string) {
	t.Helper()
	// The default data directory is relative: an empty working directory makes it a
	// new one.
	p := StartProcess(t, Command{Path: path, Args: args, Dir: ShortDir(t)})
	ctx, cancel := context.WithTimeout(t.Context(), eventually.Grace)
	defer cancel()
	exitCode, err := p.ExitCode(ctx)
	if err != nil {
		t.Fatalf("%v; its output so far:\n%s", err, tail(p.Output()))
	}
	return exitCode, p.Output()
}
