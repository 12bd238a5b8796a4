package traffic

import (
	"context"
	"errors"
	"fmt"
	"io"

	"google.golang.org/grpc"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/metadata"
)

// forward passes the messages of a call on, in both directions. Each message of etcd passes
// answer first.
func forward(client grpc.ServerStream, direct *grpc.ClientConn, method string, answer func(ctx context.Context, bytes int)) error {
	ctx, cancel := context.WithCancel(client.Context())
	defer cancel()
	headers, _ := metadata.FromIncomingContext(ctx)
	stream, err := direct.NewStream(metadata.NewOutgoingContext(ctx, headers), &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, method)
	if err != nil {
		return err
	}
	go func() {
		if err := relay(ctx, client, stream, func(context.Context, int) {}); errors.Is(err, io.EOF) {
			_ = stream.CloseSend()
		} else {
			cancel()
		}
	}()
	if err := relay(ctx, stream, client, answer); !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

type receiver interface{ RecvMsg(any) error }

type sender interface{ SendMsg(any) error }

func relay(ctx context.Context, from receiver, to sender, pass func(ctx context.Context, bytes int)) error {
	for {
		var message []byte
		if err := from.RecvMsg(&message); err != nil {
			return err
		}
		pass(ctx, len(message))
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
