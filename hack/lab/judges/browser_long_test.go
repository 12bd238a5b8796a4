//go:build long

package judges

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// browser is a headless Chromium with one page.
type browser struct {
	ctx context.Context

	mu       sync.Mutex // guards what follows
	hosts    map[string]bool
	messages []string // of the console: exceptions, logs, violations of policies
}

func startBrowser(t *testing.T) *browser {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(harness.Program(t, binaries.Chromium)), chromedp.WindowSize(1280, 900), chromedp.UserDataDir(t.TempDir()),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true))
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // Chromium rejects to run as root with it
	}
	allocator, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, cancel := chromedp.NewContext(allocator)
	t.Cleanup(cancel)
	b := &browser{ctx: ctx, hosts: map[string]bool{}}
	require.NoError(t, chromedp.Listen(ctx, b.listen))
	call(t, b, network.Enable, network.EnableParams{})
	console := chromedp.Console(ctx)
	go func() {
		for message, err := range console {
			if err != nil {
				return // the browser has ended
			}
			b.mu.Lock()
			b.messages = append(b.messages, message.String())
			b.mu.Unlock()
		}
	}()
	return b
}

// listen remembers which hosts the page asks.
func (b *browser) listen(event any) {
	sent, ok := event.(*network.EventRequestWillBeSent)
	if !ok {
		return
	}
	if at, err := url.Parse(sent.Request.URL); err == nil && at.Scheme != "data" {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.hosts[at.Host] = true
	}
}

// said returns what the console has, and the hosts that the page asked.
func (b *browser) said() (messages, hosts []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.messages), slices.Collect(maps.Keys(b.hosts))
}

func (b *browser) do(t *testing.T, actions ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	require.NoError(t, chromedp.Do(b.ctx, actions...))
}

// call sends a command of the protocol.
func call[P, R any](t *testing.T, b *browser, command cdp.Command[P, R], parameters P) {
	t.Helper()
	_, err := chromedp.Call(b.ctx, command, parameters)
	require.NoError(t, err)
}

// eval returns the value of an expression in the page.
func eval[T any](t require.TestingT, b *browser, expression string) T {
	value, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	require.NoError(t, err, expression)
	return value
}

// text returns the text of an element; "" if there is none.
func (b *browser) text(t require.TestingT, selector string) string {
	return eval[string](t, b, fmt.Sprintf(`document.querySelector(%q)?.textContent ?? ""`, selector))
}

// key presses and releases a key.
func (b *browser) key(t *testing.T, key string) {
	t.Helper()
	b.do(t, chromedp.KeyEvent(key))
}

// shortcut presses and releases a key as a keyboard does: its text is not entered if the
// page takes the key for itself. KeyEvent sends key and text apart.
func (b *browser) shortcut(t *testing.T, key string) {
	t.Helper()
	call(t, b, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyDown, Key: key, Text: key})
	call(t, b, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyUp, Key: key})
}

// click clicks an element with the mouse.
func (b *browser) click(t *testing.T, selector string) {
	t.Helper()
	b.do(t, chromedp.Click(chromedp.CSS(selector)))
}

// awaitText waits until an element has a text.
func (b *browser) awaitText(t *testing.T, selector, want string) {
	t.Helper()
	eventually.Holds(t, selector+" says "+want, func(a *eventually.Attempt) {
		require.Contains(a, b.text(a, selector), want)
	})
}

// scheme sets the color scheme that the user prefers.
func (b *browser) scheme(t *testing.T, name string) {
	t.Helper()
	call(t, b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}},
	})
}

// width sets the width of the window, in pixels.
func (b *browser) width(t *testing.T, pixels int64) {
	t.Helper()
	b.do(t, chromedp.EmulateViewport(pixels, 900))
}

// picture writes a picture of the page.
func (b *browser) picture(t *testing.T, path string) {
	t.Helper()
	picture, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, picture, 0o644))
}
