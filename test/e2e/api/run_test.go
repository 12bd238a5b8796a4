package api

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/gosyntax"
)

// talk is a running case.
type talk struct {
	pair  *pair
	sides []*speaker
	// excused are the names of the intended differences so far.
	excused map[string]bool
}

// speaker is a side in a case.
type speaker struct {
	*side
	masks   *masks
	kept    map[string]string
	streams map[string]*bodyStream
}

// lead runs a case on both servers, and returns the names of the intended
// differences that it showed.
func (p *pair) lead(t *testing.T, c testCase) []string {
	t.Helper()
	p.restore(t)
	base := p.align(t)
	conversation := &talk{pair: p, excused: map[string]bool{}}
	for _, s := range p.sides() {
		if c.alone != "" && s == p.peer {
			continue
		}
		conversation.sides = append(conversation.sides, &speaker{
			side: s, masks: newMasks(time.Now()), streams: map[string]*bodyStream{},
			kept: map[string]string{"before": strconv.FormatInt(base, 10), "future": strconv.FormatInt(base+1_000_000, 10)},
		})
	}
	defer conversation.hangUp()
	for i, step := range c.steps {
		what := fmt.Sprintf("step %d: %s %s", i+1, step.method, step.path)
		switch {
		case step.method != "":
			conversation.exchange(t, what, step)
		default:
			conversation.listen(t, fmt.Sprintf("step %d: events of %s", i+1, step.watch), step)
		}
	}
	conversation.compareStores(t)
	return slices.Sorted(maps.Keys(conversation.excused))
}

// hangUp ends the open watches.
func (c *talk) hangUp() {
	for _, s := range c.sides {
		for _, stream := range s.streams {
			stream.close()
		}
	}
}

// exchange sends a request to each server and compares the answers.
func (c *talk) exchange(t *testing.T, what string, step step) {
	t.Helper()
	answers, before := make([]answer, len(c.sides)), c.revisions(t)
	var waiting errgroup.Group
	for i, s := range c.sides {
		waiting.Go(func() (err error) {
			answers[i], err = s.ask(t.Context(), step)
			return err
		})
	}
	require.NoError(t, waiting.Wait(), what)
	c.compare(t, what, step, answers)
	after := c.revisions(t)
	if step.still {
		require.Equal(t, before, after, "%s has written something", what)
	}
	if len(after) == 2 {
		require.Equal(t, after[1]-before[1], after[0]-before[0], "%s: each server wrote another number of times", what)
	}
	for i, s := range c.sides {
		for name, place := range step.keeps {
			s.kept[name] = valueAt(t, answers[i], place)
		}
	}
}

func (c *talk) revisions(t *testing.T) []int64 {
	t.Helper()
	var revisions []int64
	for _, s := range c.sides {
		revisions = append(revisions, s.revision(t))
	}
	return revisions
}

// compare compares the answers with the contract and with each other.
func (c *talk) compare(t *testing.T, what string, step step, answers []answer) {
	t.Helper()
	for i, s := range c.sides {
		if s.inBeta {
			answers[i] = undeprecated(t, what, step, answers[i], s.side == c.pair.ours)
		}
	}
	ours := answers[0]
	plain, err := ours.plain()
	require.NoError(t, err, what)
	if c.sides[0].inBeta {
		plain = []byte(inV1(string(plain)))
	}
	if step.code != 0 {
		require.Equal(t, step.code, ours.code, "%s\n%s", what, plain)
	}
	for _, text := range step.says {
		require.Contains(t, string(plain), text, what)
	}
	for _, text := range step.silent {
		require.NotContains(t, string(plain), text, what)
	}
	if step.warnings != nil {
		require.ElementsMatch(t, *step.warnings, ours.header.Values("Warning"), what)
	}
	for _, cause := range causesOf(ours) {
		if cause.Field != "dryRun" { // the library tells of this option
			require.Empty(t, gosyntax.Find(cause.Message), "%s: Go syntax in %s", what, cause.Message)
		}
	}
	if len(answers) == 1 {
		return
	}
	peers := c.peers(step, answers)
	mine, err := c.sides[0].masks.answer(ours, step.pick)
	require.NoError(t, err, "%s, of %s", what, c.sides[0].name)
	theirs, err := c.sides[1].masks.answer(peers, step.pick)
	require.NoError(t, err, "%s, of %s", what, c.sides[1].name)
	if c.sides[0].inBeta {
		mine = inV1(mine)
	}
	if c.sides[1].inBeta {
		theirs = inV1(theirs)
	}
	if mine != theirs {
		require.Equal(t, readable(theirs), readable(mine), "%s: expected is what %s says", what, c.sides[1].name)
		require.Equal(t, theirs, mine, "%s: expected is what %s says", what, c.sides[1].name)
	}
}

// peers returns the peer's answer without the intended differences.
func (c *talk) peers(step step, answers []answer) answer {
	peers := answers[1].clone()
	if step.excuse != "" {
		c.excused[step.excuse] = true
	}
	for _, difference := range c.pair.differences {
		if difference.meet != nil && difference.meet(step, answers[0], &peers) {
			c.excused[difference.name] = true
		}
	}
	return peers
}

// ask sends the step's request and reads the answer. Of a watch that a later step
// reads, it reads only the head.
func (s *speaker) ask(ctx context.Context, step step) (answer, error) {
	if s.inBeta {
		step = step.inBeta()
	}
	if strings.Contains(step.path, "resourceVersion=") || strings.Contains(step.path, "watch") {
		if err := s.refresh(ctx, step.path); err != nil {
			return answer{}, err
		}
	}
	path := s.fill(step.path, url.QueryEscape)
	ctx, cancel := context.WithTimeout(ctx, eventually.Grace)
	response, err := s.open(ctx, step.method, path, s.fill(step.body, jsonEscape), step.headers)
	if err != nil {
		cancel()
		return answer{}, err
	}
	result := answer{code: response.StatusCode, header: response.Header}.withoutAdvice()
	if step.watch != "" && response.StatusCode == http.StatusOK {
		s.streams[step.watch] = newBodyStream(response, cancel)
		return result, nil
	}
	defer cancel()
	defer func() { _ = response.Body.Close() }()
	result.body, err = io.ReadAll(response.Body)
	return result, err
}

// refresh waits until the watch cache of the resource has the latest revision, so
// that answers from the cache are deterministic. A list of the most recent state
// would not wait: it bypasses a slow cache.
func (s *speaker) refresh(ctx context.Context, path string) error {
	resource := "prioritylevelconfigurations"
	if strings.Contains(path, "flowschemas") {
		resource = "flowschemas"
	}
	latest, err := s.etcd.Get(ctx, padding)
	if err != nil {
		return err
	}
	known := fmt.Sprintf("%s%s?fieldSelector=metadata.name%%3Dnone&resourceVersionMatch=NotOlderThan&resourceVersion=%d", v1Path, resource, latest.Header.Revision)
	failures := eventually.Within(ctx, func(a *eventually.Attempt) {
		response, err := s.open(a.Context(), http.MethodGet, known, "", nil)
		require.NoError(a, err)
		require.NoError(a, response.Body.Close())
		require.Equal(a, http.StatusOK, response.StatusCode)
	})
	if failures != "" {
		return fmt.Errorf("the cache of %s does not come to know revision %d: %s", s.name, latest.Header.Revision, failures)
	}
	return nil
}

// fill replaces the names of kept values by the values.
func (s *speaker) fill(text string, escape func(string) string) string {
	for name, value := range s.kept {
		text = strings.ReplaceAll(text, "<"+name+">", escape(value))
	}
	return text
}

// jsonEscape escapes a text for a JSON string.
func jsonEscape(text string) string {
	quoted := strconv.Quote(text)
	return quoted[1 : len(quoted)-1]
}

// valueAt returns the value at a place of a JSON body, such as metadata.uid.
func valueAt(t *testing.T, a answer, place string) string {
	t.Helper()
	plain, err := a.plain()
	require.NoError(t, err)
	var node any
	require.NoError(t, json.Unmarshal(plain, &node), "%s", plain)
	for key := range strings.SplitSeq(place, ".") {
		fields, ok := node.(map[string]any)
		require.True(t, ok, "no %s in %s", place, plain)
		node = fields[key]
	}
	value, ok := node.(string)
	require.True(t, ok, "no text at %s in %s", place, plain)
	return value
}

// compareStores compares the content of both etcds at the end, with its versions.
func (c *talk) compareStores(t *testing.T) {
	t.Helper()
	if len(c.sides) < 2 {
		return
	}
	mine, theirs := c.sides[0].contents(t), c.sides[1].contents(t)
	require.Equal(t, slices.Sorted(maps.Keys(theirs)), slices.Sorted(maps.Keys(mine)), "the keys in etcd")
	for key, value := range theirs {
		require.Equal(t, readable("\n\n"+value), readable("\n\n"+mine[key]), "%s in etcd; expected is what %s wrote", key, c.sides[1].name)
	}
}

// contents returns the objects in etcd, masked, by key.
func (s *speaker) contents(t *testing.T) map[string]string {
	t.Helper()
	found := s.stored(t)
	for _, key := range slices.Sorted(maps.Keys(found)) {
		text, err := fromProtobuf([]byte(found[key]), false)
		require.NoError(t, err, key)
		text, err = steady(text)
		require.NoError(t, err, key)
		found[key] = s.masks.text(string(text))
		if s.inBeta {
			found[key] = inV1(found[key])
		}
	}
	return found
}
