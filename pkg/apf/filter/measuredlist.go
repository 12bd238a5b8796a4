package filter

import (
	"context"
	"encoding/binary"
	"net/http"
	"sync/atomic"

	"k8s.io/apiserver/pkg/endpoints/responsewriter"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/estimate"
)

const (
	// maxStreamed is the most memory in bytes that a response uses that is encoded object by
	// object, as in package estimate.
	maxStreamed = 1_000_000
	// minExpected is the most bytes of a list that raises no estimate: one seat.
	minExpected = 100_000
	// gzipRatio is the most that gzip compresses, see the Deflate specification, RFC 1951.
	gzipRatio = 1032
	// trailerLength is the length of the size at the end of gzip's format, RFC 1952.
	trailerLength = 4
)

// measuredList measures the memory of a list by what its handler writes and its storage
// reads. It is the response writer of the handler. The library compresses bodies in the
// handler. The size before compression counts, which gzip writes at the end of the body.
type measuredList struct {
	http.ResponseWriter
	*lists

	resource  estimate.StoredType
	kind      estimate.ListKind
	prior     int64 // of the formula, in bytes
	estimated int64 // in bytes

	// The storage may read on other goroutines than the handler's.
	read     atomic.Int64 // bytes of stored objects that were read
	expected atomic.Int64 // bytes that the list takes before it raises the estimate again
	raised   atomic.Bool

	// What follows belongs to the goroutine of the handler.
	status  int
	failed  bool
	sent    int64 // bytes of the body, read by the client or not
	largest int64 // bytes of the largest Write
	gzip    bool
	trailer [trailerLength]byte // the last bytes of the body
}

var _ responsewriter.UserProvidedDecorator = (*measuredList)(nil)

// measured returns a list that is to be measured, and its estimate.
func (l *lists) measured(read *estimate.Read, cost *estimate.Cost) *measuredList {
	list := &measuredList{lists: l, prior: cost.Prior, estimated: cost.Bytes, kind: read.Kind, resource: read.Type}
	list.expected.Store(max(cost.Bytes, minExpected))
	return list
}

// serve executes the list. The history is told what it took.
func (l *measuredList) serve(w http.ResponseWriter, r *http.Request, handler http.Handler) {
	l.ResponseWriter = w
	begun, done := l.now(), false
	defer func() {
		if bytes, known := l.took(done && !l.failed); known {
			now := l.now()
			l.history.Observe(l.resource, l.kind, estimate.Observation{Bytes: bytes, Prior: l.prior, Took: now - begun}, now)
		}
	}()
	handler.ServeHTTP(responsewriter.WrapForHTTP1Or2(l), r)
	done = true
}

// took returns the bytes that the list took, for the history, unless nothing is known. whole reports
// whether the client has the whole response.
func (l *measuredList) took(whole bool) (bytes int64, known bool) {
	switch found := l.status == http.StatusOK; {
	case found && whole:
		return l.inMemory(true), true
	case found && l.gzip:
		return max(l.inMemory(false), l.unread()), true
	default: // a list that has raised the estimate took that memory, even if it fails
		return l.inMemory(false), l.raised.Load()
	}
}

// unread returns for how many bytes a compressed response counts whose end was not written: the formula,
// and no less than the estimate, which such lists must not lower.
func (l *measuredList) unread() int64 {
	bytes := max(l.prior, l.estimated)
	if readsAreKnown := l.countsReads || !l.kind.FromStorage; readsAreKnown && !l.kind.Whole {
		return min(bytes, maxStreamed)
	}
	return bytes
}

// exchange gives the list what other is, a list of another source, and the reverse.
func (l *measuredList) exchange(other *measuredList) {
	l.kind, other.kind = other.kind, l.kind
	l.prior, other.prior = other.prior, l.prior
	l.estimated, other.estimated = other.estimated, l.estimated
	other.expected.Store(l.expected.Swap(other.expected.Load()))
}

// Unwrap implements responsewriter.UserProvidedDecorator.
func (l *measuredList) Unwrap() http.ResponseWriter { return l.ResponseWriter }

// WriteHeader implements http.ResponseWriter.
func (l *measuredList) WriteHeader(status int) {
	l.setStatus(status)
	l.ResponseWriter.WriteHeader(status)
}

func (l *measuredList) setStatus(status int) {
	if l.status < http.StatusOK { // none, or an informational one
		l.status = status
		l.gzip = l.Header().Get("Content-Encoding") == "gzip"
	}
}

// Write implements http.ResponseWriter.
func (l *measuredList) Write(p []byte) (int, error) {
	l.setStatus(http.StatusOK)
	l.sent += int64(len(p))
	l.largest = max(l.largest, int64(len(p)))
	if l.gzip {
		l.keepTrailer(p)
	}
	if l.status == http.StatusOK {
		l.raise(l.inMemory(false)) // before the client reads, which it need not
	}
	n, err := l.ResponseWriter.Write(p)
	l.failed = l.failed || err != nil
	return n, err
}

func (l *measuredList) keepTrailer(p []byte) {
	if len(p) >= trailerLength {
		copy(l.trailer[:], p[len(p)-trailerLength:])
		return
	}
	copy(l.trailer[:], l.trailer[len(p):])
	copy(l.trailer[trailerLength-len(p):], p)
}

// inMemory returns the bytes that the list had in memory at one time, and, until it is
// done, at least had.
func (l *measuredList) inMemory(done bool) int64 {
	sent := l.sent
	if l.gzip && done {
		sent = l.uncompressed()
	}
	read := l.read.Load()
	if l.kind.FromStorage && !l.countsReads {
		read = sent
	}
	if !l.kind.Whole {
		sent = min(sent, maxStreamed)
	}
	return max(sent, l.largest, read)
}

// uncompressed returns the size of a compressed body: gzip writes it at the end, modulo
// 2^32.
func (l *measuredList) uncompressed() int64 {
	size := int64(binary.LittleEndian.Uint32(l.trailer[:]))
	for size < l.sent/2 { // what does not compress grows, but hardly
		size += 1 << 32
	}
	return min(size, l.sent*gzipRatio)
}

// raise raises the estimate of lists of this kind while the list executes, if it takes
// more bytes than expected, and again whenever that has doubled.
func (l *measuredList) raise(bytes int64) {
	expected := l.expected.Load()
	if bytes <= expected || !l.expected.CompareAndSwap(expected, 2*bytes) {
		return
	}
	l.raised.Store(true)
	l.history.Raise(l.resource, l.kind, bytes, l.now())
}

// CountRead counts the bytes of one stored object that was read for the request of ctx,
// if that is a list whose cost is learned. A transformer of the storage can call it: see
// Options.CountsReads.
func CountRead(ctx context.Context, bytes int) {
	if e, ok := ctx.Value(exchangeKey{}).(*exchange); ok && e.list != nil && e.list.countsReads {
		e.list.raise(e.list.read.Add(int64(bytes)))
	}
}
