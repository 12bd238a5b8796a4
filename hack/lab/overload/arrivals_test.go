package main

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/traffic"
)

func TestRequestsDoNotWaitForEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := arrivals{Rate: 100, Settle: 10 * time.Second, Measure: 20 * time.Second}
		var sent atomic.Int64
		got := a.send(t.Context(), func(ctx context.Context) (traffic.Answer, error) {
			switch sent.Add(1) % 4 {
			case 0: // never answered
				<-ctx.Done()
				return traffic.Answer{}, ctx.Err()
			case 1:
				return traffic.Answer{Status: http.StatusTooManyRequests}, nil
			case 2:
				return traffic.Answer{Status: http.StatusInternalServerError}, nil
			default:
				<-time.After(time.Second)
				return traffic.Answer{Status: http.StatusOK}, nil
			}
		})
		all := got.Good + got.Rejected + got.Late + got.Failed
		assert.InDelta(t, 2000, all, 150, "a Poisson process of 100 a second")
		assert.InDelta(t, 3000, sent.Load(), 180, "those before it is measured are sent too")
		for _, part := range []int{got.Good, got.Rejected, got.Late, got.Failed} {
			assert.InDelta(t, all/4, part, 2)
		}
		assert.Equal(t, "Internal Server Error", got.Last)
	})
}

func TestRequestsThatCannotBeSentAreLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := arrivals{Rate: 2 * mostWaiting, Measure: time.Second}
		got := a.send(t.Context(), func(ctx context.Context) (traffic.Answer, error) {
			<-ctx.Done()
			return traffic.Answer{}, ctx.Err()
		})
		assert.InDelta(t, 2*mostWaiting, got.Late, 500)
		assert.Zero(t, got.Good+got.Rejected+got.Failed)
	})
}

func TestFactorsAreNumbers(t *testing.T) {
	got, err := parseFactors("2,5.5")
	assert.NoError(t, err)
	assert.Equal(t, []float64{2, 5.5}, got)
	for _, bad := range []string{"", "2,", "0", "-1", "many", "NaN", "1e9"} {
		_, err := parseFactors(bad)
		assert.Error(t, err, bad)
	}
}
