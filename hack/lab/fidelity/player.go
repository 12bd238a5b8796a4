package main

import (
	"context"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/insight/scenario"
)

// answered is the answer to a call.
type answered struct {
	call   scenario.Call
	answer scenario.Answer
	err    error
}

// player sends what the clients of a scenario send, when they send it.
type player struct {
	send    func(context.Context, scenario.Call) (scenario.Answer, error)
	clients *scenario.Population
	start   time.Time
	answers chan answered
	busy    int // calls without an answer
}

// play returns after the last answer, or with the first error of send. A rejected
// request is no error.
func play(ctx context.Context, s *scenario.Scenario, send func(context.Context, scenario.Call) (scenario.Answer, error)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p := &player{send: send, clients: scenario.New(s), start: time.Now(), answers: make(chan answered)}
	defer func() {
		cancel()
		for ; p.busy > 0; p.busy-- {
			<-p.answers
		}
	}()
	for {
		p.sendDue(ctx)
		next, more := p.clients.Next()
		if !more && p.busy == 0 {
			return nil
		}
		if err := p.await(ctx, next, more); err != nil {
			return err
		}
	}
}

// sendDue sends what is due.
func (p *player) sendDue(ctx context.Context) {
	for {
		next, more := p.clients.Next()
		if !more || next > time.Since(p.start) {
			return
		}
		call := p.clients.Send()
		p.busy++
		go func() {
			answer, err := p.send(ctx, call)
			p.answers <- answered{call, answer, err}
		}()
	}
}

// await waits for an answer, or until the next call is due.
func (p *player) await(ctx context.Context, next time.Duration, more bool) error {
	var due <-chan time.Time
	if more {
		timer := time.NewTimer(next - time.Since(p.start))
		defer timer.Stop()
		due = timer.C
	}
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-due:
		return nil
	case a := <-p.answers:
		p.busy--
		if a.err != nil {
			return a.err
		}
		now := time.Since(p.start)
		if next, more := p.clients.Next(); more {
			now = min(now, next) // the population keeps the order of time
		}
		p.clients.Answer(a.call, now, a.answer)
		return nil
	}
}
