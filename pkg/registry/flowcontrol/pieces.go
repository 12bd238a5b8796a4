package flowcontrol

import (
	"bufio"
	"io"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
)

// pieceBytes is how much of a list is encoded before it is sent. HTTP/2 takes twice the processor
// time for the single objects that the library's encoder writes. The library
// compresses a response whose first write exceeds 128 KiB.
const pieceBytes = 256 << 10

// pieces is a serializer whose encoders write lists in pieces of pieceBytes.
type pieces struct {
	runtime.NegotiatedSerializer
	buffers *sync.Pool // of *bufio.Writer
}

func newPieces(serializer runtime.NegotiatedSerializer) pieces {
	return pieces{serializer, &sync.Pool{New: func() any { return bufio.NewWriterSize(nil, pieceBytes) }}}
}

// EncoderForVersion implements runtime.NegotiatedSerializer.
func (p pieces) EncoderForVersion(serializer runtime.Encoder, version runtime.GroupVersioner) runtime.Encoder {
	encoder := p.NegotiatedSerializer.EncoderForVersion(serializer, version)
	if allocating, ok := encoder.(runtime.EncoderWithAllocator); ok {
		return piecesEncoder{allocating, p.buffers}
	}
	return encoder
}

// piecesEncoder passes on what is encoded with an allocator: events of watches, one object each.
type piecesEncoder struct {
	runtime.EncoderWithAllocator
	buffers *sync.Pool
}

// Encode implements runtime.Encoder.
func (e piecesEncoder) Encode(object runtime.Object, w io.Writer) error {
	if !meta.IsListType(object) {
		return e.EncoderWithAllocator.Encode(object, w)
	}
	buffer := e.buffers.Get().(*bufio.Writer)
	buffer.Reset(w)
	defer func() {
		buffer.Reset(nil)
		e.buffers.Put(buffer)
	}()
	if err := e.EncoderWithAllocator.Encode(object, buffer); err != nil {
		return err
	}
	return buffer.Flush()
}
