package simulate

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/lane"
)

// Events come in the order of their times, and in one instant in the order of scheduling, however many are pending, also
// when events schedule others.
func TestEventsComeInOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(lane.Seed(t), 1))
	for range 60 {
		line, last, lastSerial := &timeline{}, time.Duration(0), uint64(0)
		var schedule func(more int)
		schedule = func(more int) {
			at := line.now + time.Duration(random.IntN(1000))
			timeout := line.after(time.Duration(15_000+random.IntN(100)), func() {})
			serial := line.serial + 1
			line.after(at-line.now, func() {
				if at != line.now || at < last || at == last && serial < lastSerial {
					t.Fatalf("the event of %v comes at %v, after one of %v", at, line.now, last)
				}
				last, lastSerial = at, serial
				timeout.Stop()
				for range min(more, (random.IntN(9)+3)/5) {
					schedule(more - 1)
				}
			})
		}
		for range 20 + random.IntN(200) {
			schedule(40)
		}
		for _, ok := line.next(); ok; _, ok = line.next() {
			line.step()
		}
	}
}
