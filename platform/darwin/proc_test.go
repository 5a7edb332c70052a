package darwin

import (
	"slices"
	"testing"
)

func TestParseArgs(t *testing.T) {
	raw := "\x03\x00\x00\x00/opt/homebrew/bin/node\x00\x00\x00\x00node\x00/opt/homebrew/bin/gemini\x00\x00HOME=/Users/ann\x00"
	exe, args, err := ParseArgs([]byte(raw))
	if err != nil || exe != "/opt/homebrew/bin/node" || !slices.Equal(args, []string{"node", "/opt/homebrew/bin/gemini", ""}) {
		t.Errorf("%q %q %v", exe, args, err)
	}
	for _, raw := range []string{"", "\x01\x00", "\x01\x00\x00\x00/bin/sh", "\x02\x00\x00\x00/bin/sh\x00\x00sh\x00", "\xff\xff\xff\xff/bin/sh\x00sh\x00"} {
		if _, args, err := ParseArgs([]byte(raw)); err == nil {
			t.Errorf("%q was read as %q", raw, args)
		}
	}
}
