//go:build long

package judges

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
)

// markup is the name of a user that a careless page would take for markup.
const markup = "ops <oncall@example.com>"

// TestPageInABrowser uses the page of `kubectl apf top --web` as people do.
func TestPageInABrowser(t *testing.T) {
	s := &pageSite{pageServer: startPageServer(t, reader+","+reader+","+reader+"\n"+guest+","+guest+","+guest+"\n"+
		"robot,system:serviceaccount:shop:robot,robot,system:serviceaccounts\nmarkup,\""+markup+"\",markup\n"), browser: startBrowser(t)}
	release := s.fill(t)
	s.serve(t)
	s.do(t, chromedp.Navigate(s.address))
	s.awaitText(t, "#chosen", narrow) // before others wait too
	s.load(t)
	s.awaitText(t, cell("workload-low", 8), "0") // nobody else waits any longer

	t.Run("it shows the full level first, with its figures", s.testFigures)
	t.Run("tables are sorted by mouse and keyboard", s.testSorting)
	t.Run("keys choose levels, filter, pause and help", s.testKeys)
	t.Run("the charts tell the figures at the pointer", s.testPointer)
	t.Run("names are text", s.testMarkup)
	t.Run("it can be read in light and dark, wide and narrow", s.testLooks)
	t.Run("it asks no other host, and nothing complains", s.testNetwork)
	release()
	t.Run("it goes on when requests have ended", func(t *testing.T) { s.awaitText(t, cell(narrow, 8), "0") })
	t.Run("it says that the server is away, and that the plug-in has ended", s.testEnds)
}

// cell selects a cell in the row of a level.
func cell(level string, column int) string {
	return "#levels tr[data-name='" + level + "'] td:nth-child(" + strconv.Itoa(column) + ")"
}

func (s *pageSite) testFigures(t *testing.T) {
	for selector, want := range map[string]string{
		"#chosen": narrow, cell(narrow, 3): "1", cell(narrow, 4): "1", cell(narrow, 5): "100%", cell(narrow, 8): "1",
		"#status": "1 replica, read at", "#name": s.URL, "#flows tr[data-name*='" + narrow + "'][data-name*='" + guest + "'] td:nth-child(7)": "1",
	} {
		s.awaitText(t, selector, want)
	}
	require.NotEqual(t, "0", s.text(t, cell(narrow, 11)), "requests were rejected")
	require.Positive(t, eval[float64](t, s.browser, `document.querySelector("#seats-chart path.seats").getBBox().width`), "the chart has a line")
	eventually.Holds(t, "the page reads again by itself", func(a *eventually.Attempt) {
		require.Greater(a, eval[int](a, s.browser, "view.readings.length"), 2)
	})
}

// order returns the sorted column and the first level of the table.
func (s *pageSite) order(t *testing.T) [3]string {
	t.Helper()
	return eval[[3]string](t, s.browser, `(() => {
		const sorted = document.querySelector("#levels th[aria-sort]");
		return [sorted.textContent, sorted.getAttribute("aria-sort"), document.querySelector("#levels tbody tr").dataset.name];
	})()`)
}

func (s *pageSite) testSorting(t *testing.T) {
	s.click(t, "#levels th:nth-child(8) button")
	require.Equal(t, [3]string{"Waiting", "descending", narrow}, s.order(t))
	s.do(t, chromedp.Focus(chromedp.CSS("#levels th:nth-child(1) button")))
	s.key(t, kb.Enter)
	require.Equal(t, [3]string{"Level", "ascending", "catch-all"}, s.order(t))
	s.key(t, " ")
	require.Equal(t, [3]string{"Level", "descending", "workload-low"}, s.order(t))
	s.key(t, kb.Tab)
	s.key(t, kb.Enter)
	require.Equal(t, "Seats", s.order(t)[0], "the chart between them is not sorted by")

	s.do(t, chromedp.Focus(chromedp.CSS("#levels tr[data-name='"+narrow+"'] button")))
	before := eval[int](t, s.browser, "view.readings.length")
	eventually.Holds(t, "it has read again", func(a *eventually.Attempt) {
		require.Greater(a, eval[int](a, s.browser, "view.readings.length"), before)
	})
	require.Equal(t, narrow, eval[string](t, s.browser, "document.activeElement.textContent"), "the focus stays when figures change")
}

func (s *pageSite) testKeys(t *testing.T) {
	s.click(t, "#levels th:nth-child(1) button")
	s.click(t, "#levels tr[data-name='catch-all'] button")
	s.awaitText(t, "#chosen", "catch-all")
	s.shortcut(t, "j")
	s.awaitText(t, "#chosen", "exempt")
	s.shortcut(t, "k")
	s.awaitText(t, "#chosen", "catch-all")

	s.shortcut(t, "/")
	s.key(t, "ROBOT")
	s.awaitText(t, "#flows-count", "1 of ")
	require.Equal(t, "system:serviceaccount:shop:robot", s.text(t, "#flows tbody tr td:nth-child(2)"))
	s.key(t, kb.Escape)
	s.filter(t, "")
	s.shortcut(t, "l")
	s.awaitText(t, "#only-level", "catch-all")
	require.Zero(t, eval[int](t, s.browser, `document.querySelectorAll("#flows tbody tr:not([data-name*='catch-all'])").length`))
	s.shortcut(t, "l")

	s.shortcut(t, "p")
	s.awaitText(t, "#status", "paused")
	s.shortcut(t, "p")
	s.awaitText(t, "#status", "every 0.3 s")
	s.shortcut(t, "?")
	require.True(t, eval[bool](t, s.browser, `document.querySelector("#help").open`))
	s.key(t, kb.Escape)
	require.False(t, eval[bool](t, s.browser, `document.querySelector("#help").open`))
}

// filter filters the flows by a text.
func (s *pageSite) filter(t *testing.T, text string) {
	t.Helper()
	eval[bool](t, s.browser, fmt.Sprintf(`(() => {
		const filter = document.querySelector("#filter");
		filter.value = %q;
		return filter.dispatchEvent(new Event("input"));
	})()`, text))
}

func (s *pageSite) testPointer(t *testing.T) {
	s.click(t, "#levels tr[data-name='"+narrow+"'] button")
	s.awaitText(t, "#reading", "1 of 1 seats in use, 1 waiting")
	s.shortcut(t, "p") // so that the last sample stays the last one
	s.awaitText(t, "#status", "paused")
	last := s.text(t, "#reading")
	box := eval[struct{ X, Y float64 }](t, s.browser, `document.querySelector("#seats-chart").getBoundingClientRect().toJSON()`)
	s.do(t, chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, box.X+2, box.Y+50))
	eventually.Holds(t, "the figures are those at the pointer", func(a *eventually.Attempt) {
		require.NotEqual(a, last, s.text(a, "#reading"))
	})
	require.Equal(t, 1, eval[int](t, s.browser, `document.querySelectorAll("#seats-chart .cursor").length`))
	s.do(t, chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, 0, 0))
	s.awaitText(t, "#reading", last)
	s.shortcut(t, "p")
	require.Contains(t, eval[string](t, s.browser, `document.querySelector("#seats-chart").getAttribute("aria-label")`), "1 of 1 seats in use")
}

func (s *pageSite) testMarkup(t *testing.T) {
	s.filter(t, "oncall")
	s.awaitText(t, "#flows tbody tr td:nth-child(2)", markup)
	require.Zero(t, eval[int](t, s.browser, `document.querySelectorAll("#flows tbody td *").length`))
	s.filter(t, "")
}

// contrasts are the contrasts of the text and the lines of the page with what is behind
// them, by https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio.
const contrasts = `(() => {
	const luminance = (name) => {
		const probe = document.body.appendChild(document.createElement("i"));
		probe.style.color = "var(" + name + ")";
		const parts = getComputedStyle(probe).color.match(/[\d.]+/g).slice(0, 3)
			.map((part) => part / 255).map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
		probe.remove();
		return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
	};
	const contrast = (one, other) => {
		const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
		return (high + 0.05) / (low + 0.05);
	};
	const out = {};
	for (const text of ["--text", "--quiet", "--waiting", "--rejected", "--seats"]) {
		for (const ground of ["--ground", "--panel"]) out[text + " on " + ground] = contrast(text, ground);
	}
	return out;
})()`

func (s *pageSite) testLooks(t *testing.T) {
	grounds := map[string]bool{}
	for _, scheme := range []string{"light", "dark"} {
		s.scheme(t, scheme)
		for pair, contrast := range eval[map[string]float64](t, s.browser, contrasts) {
			require.GreaterOrEqual(t, contrast, 4.5, "%s: %s", scheme, pair)
		}
		grounds[eval[string](t, s.browser, "getComputedStyle(document.body).backgroundColor")] = true
		for _, pixels := range []int64{360, 800, 1280} {
			s.width(t, pixels)
			require.LessOrEqual(t, eval[int64](t, s.browser, "document.documentElement.scrollWidth"), pixels, "the page scrolls sideways")
		}
		folder := t.TempDir()
		if *updatePictures {
			root, err := binaries.Root()
			require.NoError(t, err)
			folder = filepath.Join(root, "docs")
		}
		file := filepath.Join(folder, "top-"+scheme+".png")
		s.picture(t, file)
		info, err := os.Stat(file)
		require.NoError(t, err)
		require.Greater(t, info.Size(), int64(20_000), "an empty page is a small picture")
	}
	require.Len(t, grounds, 2, "light and dark differ")
}

func (s *pageSite) testNetwork(t *testing.T) {
	messages, hosts := s.said()
	require.Empty(t, messages)
	require.Len(t, hosts, 1)
	require.Contains(t, s.address, "//"+hosts[0]+"/")
}

func (s *pageSite) testEnds(t *testing.T) {
	s.Process.Kill(t)
	s.awaitText(t, "#error", "The last reading failed; these are the figures of")
	s.plugin.Stop(t)
	s.awaitText(t, "#error", "kubectl apf top --web does not answer")
}
