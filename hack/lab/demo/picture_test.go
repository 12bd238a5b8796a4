package main

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestPictureIsXMLWithBarsInProportion(t *testing.T) {
	drawn := string(picture([]figure{
		{"first", 400 * time.Millisecond, 100 * time.Millisecond},
		{"second", 800 * time.Millisecond, 0},
	}, []string{"A caption."}))

	decoder := xml.NewDecoder(strings.NewReader(drawn))
	for {
		_, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
	}
	for _, bar := range []string{`class="without" x="215" y="76" width="220"`, `width="55"`, `width="440"`, `width="1"`} {
		require.Contains(t, drawn, bar)
	}
	require.Contains(t, drawn, ">400ms<")
	require.Contains(t, drawn, "A caption.")
}
