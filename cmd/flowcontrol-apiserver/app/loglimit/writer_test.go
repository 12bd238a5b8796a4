package loglimit

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	testingclock "k8s.io/utils/clock/testing"
)

// step is a line that is written after a while, and what is written because of it.
type step struct {
	after time.Duration
	line  string
	want  string
}

func TestARepeatedErrorIsWrittenOnceAMinute(t *testing.T) {
	text := func(severity, at, message string) string {
		return severity + "0102 15:04:" + at + ".000000   77 watcher.go:342] " + message + "\n"
	}
	inJSON := func(at, rest string) string {
		return `{"ts":` + at + `,"caller":"etcd3/watcher.go:342",` + rest + "}\n"
	}
	const away = `"msg":"watch chan error: etcdserver: no leader"`
	for _, test := range []struct {
		name  string
		steps []step
	}{
		{"an error in text", []step{
			{0, text("E", "05", "no leader"), text("E", "05", "no leader")},
			{time.Second, text("E", "06", "no leader"), ""},
			{58 * time.Second, text("E", "07", "no leader"), ""},
			{time.Second, text("E", "08", "no leader"), text("E", "08", `"The next line was left out" count=2 within="1m0s"`) + text("E", "08", "no leader")},
			{time.Second, text("E", "09", "no leader"), ""},
		}},
		{"an error in JSON", []step{
			{0, inJSON("1.5", away), inJSON("1.5", away)},
			{time.Second, inJSON("2.5", away), ""},
			{time.Minute, inJSON("62.5", away), `{"ts":62.5,"msg":"The next line was left out","v":0,"count":1,"within":"1m1s"}` + "\n" + inJSON("62.5", away)},
			{time.Hour, inJSON("3662.5", away), inJSON("3662.5", away)},
		}},
		{"a warning about connections with other numbers", []step{
			{0, text("W", "05", "[Channel #1 SubChannel #22] rejected"), text("W", "05", "[Channel #1 SubChannel #22] rejected")},
			{0, text("W", "05", "[Channel #3 SubChannel #4] rejected"), ""},
		}},
		{"a warning of the embedded etcd at a stop", []step{
			{0, text("W", "05", `[core] [Server #1] grpc: Server.processRPC failed to write status: connection error: desc = "transport is closing"`), ""},
			{0, text("W", "05", `[core] [Server #1] grpc: Server.processRPC failed to write status: it is damaged`), text("W", "05", `[core] [Server #1] grpc: Server.processRPC failed to write status: it is damaged`)},
		}},
		{"errors that differ", []step{
			{0, text("E", "05", "one"), text("E", "05", "one")},
			{0, text("E", "05", "two"), text("E", "05", "two")},
			{0, text("W", "05", "one #1 of 2"), text("W", "05", "one #1 of 2")},
			{0, text("W", "05", "one #1 of 3"), text("W", "05", "one #1 of 3")},
		}},
		{"information, fatal errors and what is no line of a logger", []step{
			{0, text("I", "05", "HTTP"), text("I", "05", "HTTP")},
			{0, text("I", "05", "HTTP"), text("I", "05", "HTTP")},
			{0, text("F", "05", "end"), text("F", "05", "end")},
			{0, text("F", "05", "end"), text("F", "05", "end")},
			{0, inJSON("1.5", `"msg":"HTTP","v":3`), inJSON("1.5", `"msg":"HTTP","v":3`)},
			{0, inJSON("1.5", `"msg":"HTTP","v":3`), inJSON("1.5", `"msg":"HTTP","v":3`)},
			{0, "Error: usage\n", "Error: usage\n"},
			{0, "Error: usage\n", "Error: usage\n"},
			{0, "", ""},
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out strings.Builder
			now := testingclock.NewFakePassiveClock(time.Unix(1000, 0))
			w := New(&out, now)
			for i, step := range test.steps {
				now.SetTime(now.Now().Add(step.after))
				out.Reset()
				n, err := w.Write([]byte(step.line))
				require.NoError(t, err)
				require.Len(t, step.line, n)
				require.Equal(t, step.want, out.String(), "line %d", i)
			}
		})
	}
}

func TestTheMemoryForLinesIsBounded(t *testing.T) {
	var out strings.Builder
	now := testingclock.NewFakePassiveClock(time.Unix(1000, 0))
	w := New(&out, now)
	write := func(number int) string {
		out.Reset()
		_, err := fmt.Fprintf(w, "E0102 15:04:05.000000   77 file.go:%d] message %d\n", number/maxOfPlace, number)
		require.NoError(t, err)
		return out.String()
	}
	for i := range maxLines {
		write(i)
	}
	require.Empty(t, write(0))
	require.NotEmpty(t, write(maxLines))
	require.NotEmpty(t, write(maxLines), "there is no room to remember it")
	require.Len(t, w.seen, maxLines)
	now.SetTime(now.Now().Add(Interval))
	require.NotEmpty(t, write(maxLines))
	require.Empty(t, write(maxLines), "the others may be written again and are forgotten")
	require.Len(t, w.seen, 1)
}

// TestLinesOfOnePlaceThatDifferAreBounded is about lines that clients cause: in an attack
// there were 80,000, with the time that each request had taken.
func TestLinesOfOnePlaceThatDifferAreBounded(t *testing.T) {
	for name, format := range map[string]string{
		"text": "E0102 15:04:05.000000   77 timeout.go:140] \"Post-timeout activity\" timeElapsed=\"%dns\"\n",
		"JSON": `{"ts":1.5,"caller":"filters/timeout.go:140","msg":"Post-timeout activity","v":0,"timeElapsed":%d}` + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			now := testingclock.NewFakePassiveClock(time.Unix(1000, 0))
			w := New(&out, now)
			for i := range 3000 {
				_, err := fmt.Fprintf(w, format, i)
				require.NoError(t, err)
			}
			require.Equal(t, maxOfPlace, strings.Count(out.String(), "\n"))
			require.Len(t, w.seen, maxOfPlace)

			out.Reset()
			const elsewhere = "E0102 15:04:05.000000   77 file.go:1] another place\n"
			_, err := w.Write([]byte(elsewhere))
			require.NoError(t, err)
			require.Equal(t, elsewhere, out.String())

			out.Reset()
			now.SetTime(now.Now().Add(Interval))
			_, err = fmt.Fprintf(w, format, 3000)
			require.NoError(t, err)
			require.Regexp(t, `Different lines like the next one were left out".*2900`, out.String())
			require.Contains(t, out.String(), "3000")
		})
	}
}
