package filters

// Sizes in bytes of what a goroutine of a request needs on its stack.
const (
	// handOverSize is what the filters in front of the library's timeout need, which continues on
	// another goroutine. A watch continues on this one.
	handOverSize = 12 << 10
	// requestSize is what a get needs from authentication to etcd's client.
	requestSize = 24 << 10
)

// GrowStack makes room on the stack of the goroutine for a whole request at once. Otherwise the
// runtime doubles it several times on the way through the handlers, and each time copies and adjusts
// all their frames: a tenth of the processor time of a get. Call it where the stack is not deep yet,
// and not for a watch, which keeps its stack for hours.
//
//go:noinline
func GrowStack() {
	var room [requestSize]byte
	keep(&room[0])
}

// growToHandOver is GrowStack for the goroutine that net/http begins.
//
//go:noinline
func growToHandOver() {
	var room [handOverSize]byte
	keep(&room[0])
}

// keep lets the compiler remove no room.
//
//go:noinline
func keep(first *byte) { *first = 1 }
