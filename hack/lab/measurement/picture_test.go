package measurement

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPictureIsXMLWithBarsInProportion(t *testing.T) {
	drawn := string(Picture{Title: "A & B", Captions: []string{"A <caption>."}, Groups: []Group{
		{Title: "first", Bars: []Bar{{Class: Red, Length: 400, Text: "400ms"}, {Class: Green, Length: 100}}},
		{Title: "second", Bars: []Bar{{Class: Grey, Length: 800}, {Class: Green}}},
	}}.SVG())

	decoder := xml.NewDecoder(strings.NewReader(drawn))
	for {
		_, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
	}
	for _, bar := range []string{`class="red" x="215" y="76" width="220"`, `width="55"`, `width="440"`, `width="1"`} {
		require.Contains(t, drawn, bar)
	}
	require.Contains(t, drawn, ">400ms<")
	require.Contains(t, drawn, "A &lt;caption&gt;.")
	require.Contains(t, drawn, "<title>A &amp; B</title>")
}
