package limiter_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/limiter"
)

// Alice has the only seat. Bob waits for it for a millisecond, and again when it is free.
func Example() {
	l, err := limiter.New(limiter.Config{Seats: 1, MaxWaiting: 100, MaxWaitingPerFlow: 10})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	release, err := l.Acquire(ctx, limiter.Flow{Name: "alice"}, 1)
	fmt.Println("alice:", err)

	short, cancel := context.WithTimeout(ctx, time.Millisecond)
	defer cancel()
	_, err = l.Acquire(short, limiter.Flow{Name: "bob"}, 1)
	if r, ok := errors.AsType[*limiter.Rejection](err); ok {
		fmt.Println("bob:", r.Reason, errors.Is(err, context.DeadlineExceeded)) // r.RetryAfter says when to return
	}

	release()
	release, err = l.Acquire(ctx, limiter.Flow{Name: "bob"}, 1)
	fmt.Println("bob:", err)
	release()
	// Output:
	// alice: <nil>
	// bob: time-out true
	// bob: <nil>
}
