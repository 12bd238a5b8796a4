package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/metadata"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/ports"
)

// slowEtcd serves etcd with reads and writes that wait for the backend, and returns its
// URL. Watches and leases do not wait.
func (l *site) slowEtcd() string {
	direct, err := grpc.NewClient(strings.TrimPrefix(l.etcd.URL, "http://"), grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.ForceCodecV2(raw{}), grpc.MaxCallRecvMsgSize(1<<30)))
	l.o.Check(err)
	server := grpc.NewServer(grpc.ForceServerCodecV2(raw{}), grpc.MaxRecvMsgSize(1<<30), grpc.UnknownServiceHandler(func(_ any, client grpc.ServerStream) error {
		method, _ := grpc.MethodFromServerStream(client)
		if strings.HasPrefix(method, "/etcdserverpb.KV/") {
			l.backend.wait()
		}
		return forward(client, direct, method)
	}))
	listener := ports.Listen(l.o)
	go func() { _ = server.Serve(listener) }()
	l.o.Cleanup(func() {
		server.Stop()
		_ = direct.Close()
	})
	return "http://" + listener.Addr().String()
}

// forward passes the messages of a call on, in both directions.
func forward(client grpc.ServerStream, direct *grpc.ClientConn, method string) error {
	ctx, cancel := context.WithCancel(client.Context())
	defer cancel()
	headers, _ := metadata.FromIncomingContext(ctx)
	stream, err := direct.NewStream(metadata.NewOutgoingContext(ctx, headers), &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, method)
	if err != nil {
		return err
	}
	go func() {
		if err := relay(client, stream); errors.Is(err, io.EOF) {
			_ = stream.CloseSend()
		} else {
			cancel()
		}
	}()
	if err := relay(stream, client); !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

type receiver interface{ RecvMsg(any) error }

type sender interface{ SendMsg(any) error }

func relay(from receiver, to sender) error {
	for {
		var message []byte
		if err := from.RecvMsg(&message); err != nil {
			return err
		}
		if err := to.SendMsg(&message); err != nil {
			return err
		}
	}
}

// raw is a codec of messages that are not decoded, *[]byte.
type raw struct{}

func (raw) Marshal(v any) (mem.BufferSlice, error) {
	message, ok := v.(*[]byte)
	if !ok {
		return nil, fmt.Errorf("cannot marshal a %T", v)
	}
	return mem.BufferSlice{mem.SliceBuffer(*message)}, nil
}

func (raw) Unmarshal(data mem.BufferSlice, v any) error {
	message, ok := v.(*[]byte)
	if !ok {
		return fmt.Errorf("cannot unmarshal to a %T", v)
	}
	*message = data.Materialize()
	return nil
}

func (raw) Name() string { return "proto" }
