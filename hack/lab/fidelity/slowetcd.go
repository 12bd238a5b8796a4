package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"regexp"
	"strings"
	"time"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// slowName is the name of an object whose reads take so long.
func slowName(d time.Duration) string { return fmt.Sprintf("delay-%dus", d.Microseconds()) }

// slowLimit is the limit of a list that takes about so long. All such lists cost 5 seats
// where 100 objects cost one.
func slowLimit(d time.Duration) int64 {
	return leastLimit + min(max(int64(d/limitStep), 1), mostLimit-leastLimit)
}

const (
	leastLimit, mostLimit = 400, 500
	limitStep             = 5 * time.Millisecond
)

// slowKey finds the delay in a key of etcd.
var slowKey = regexp.MustCompile(`/delay-([0-9]+us)$`)

// delayOf returns how long a read takes longer.
func delayOf(read *etcdserverpb.RangeRequest) time.Duration {
	if read.Limit > leastLimit && read.Limit <= mostLimit {
		return time.Duration(read.Limit-leastLimit) * limitStep
	}
	found := slowKey.FindSubmatch(read.Key)
	if found == nil {
		return 0
	}
	d, _ := time.ParseDuration(string(found[1])) // the expression allows nothing else
	return d
}

// slowEtcd is a proxy in front of etcd that delays the reads of slowName and slowLimit.
type slowEtcd struct{ etcd *grpc.ClientConn }

// frame is a message that is passed on as it is.
type frame []byte

// frames is the codec of frames.
type frames struct{}

// Name implements encoding.Codec. Both sides send protobuf's name.
func (frames) Name() string { return "proto" }

// Marshal implements encoding.Codec.
func (frames) Marshal(v any) ([]byte, error) { return *v.(*frame), nil }

// Unmarshal implements encoding.Codec.
func (frames) Unmarshal(data []byte, v any) error {
	*v.(*frame) = append(frame(nil), data...)
	return nil
}

// startSlowEtcd returns the etcd at the address of a new proxy.
func startSlowEtcd(o *harness.Owner, etcd *harness.Etcd) *harness.Etcd {
	connection, err := grpc.NewClient(strings.TrimPrefix(etcd.URL, "http://"),
		grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithNoProxy(),
		grpc.WithDefaultCallOptions(grpc.ForceCodec(frames{}), grpc.MaxCallRecvMsgSize(1<<30)))
	o.Check(err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	o.Check(err)
	proxy := &slowEtcd{connection}
	server := grpc.NewServer(grpc.ForceServerCodec(frames{}), grpc.UnknownServiceHandler(proxy.pass), grpc.MaxRecvMsgSize(1<<30))
	go func() { _ = server.Serve(listener) }() // Stop ends it
	o.Cleanup(func() {
		server.Stop()
		_ = connection.Close()
	})
	slow := *etcd
	slow.URL = "http://" + listener.Addr().String()
	return &slow
}

// pass passes a call on, in both directions.
func (p *slowEtcd) pass(_ any, from grpc.ServerStream) error {
	method, _ := grpc.MethodFromServerStream(from)
	ctx, cancel := context.WithCancel(from.Context())
	defer cancel()
	if sent, ok := metadata.FromIncomingContext(ctx); ok {
		ctx = metadata.NewOutgoingContext(ctx, sent.Copy())
	}
	to, err := p.etcd.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, method)
	if err != nil {
		return err
	}
	failed := make(chan error, 1)
	go func() {
		if err := copyRequests(from, to, method); err != nil {
			failed <- err
			cancel()
		}
	}()
	err = copyAnswers(from, to)
	select {
	case err := <-failed:
		return err
	default:
		return err
	}
}

// copyRequests passes on what the server sends, reads after their delay.
func copyRequests(from grpc.ServerStream, to grpc.ClientStream, method string) error {
	for {
		var message frame
		if err := from.RecvMsg(&message); errors.Is(err, io.EOF) {
			return to.CloseSend()
		} else if err != nil {
			return err
		}
		if method == "/etcdserverpb.KV/Range" {
			var read etcdserverpb.RangeRequest
			if err := read.Unmarshal(message); err != nil {
				return status.Error(codes.InvalidArgument, err.Error())
			}
			if err := wait(from.Context(), delayOf(&read)); err != nil {
				return err
			}
		}
		if err := to.SendMsg(&message); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
	}
}

// copyAnswers passes on what etcd answers.
func copyAnswers(from grpc.ServerStream, to grpc.ClientStream) error {
	header, err := to.Header()
	if err != nil {
		return err
	}
	if err := from.SendHeader(header); err != nil {
		return err
	}
	for {
		var message frame
		if err := to.RecvMsg(&message); err != nil {
			from.SetTrailer(to.Trailer())
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		if err := from.SendMsg(&message); err != nil {
			return err
		}
	}
}

// wait waits, or returns the error of the context.
func wait(ctx context.Context, d time.Duration) error {
	if d == 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
