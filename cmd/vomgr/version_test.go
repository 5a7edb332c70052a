package main

import (
	"runtime/debug"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFill(t *testing.T) {
	vcs := []debug.BuildSetting{
		{Key: "vcs.revision", Value: "aabbccddeeff00112233445566778899aabbccdd"},
		{Key: "vcs.time", Value: "2026-11-30T15:38:00Z"},
		{Key: "vcs.modified", Value: "true"},
	}
	for name, c := range map[string]struct {
		set  build
		info *debug.BuildInfo
		want build
		says string
	}{
		"a release": {
			set:  build{Version: "0.1.0", Commit: "aabbccddeeff00112233445566778899aabbccdd", Date: "2026-11-30T15:38:00Z"},
			info: &debug.BuildInfo{Main: debug.Module{Version: "v9.9.9"}, Settings: vcs},
			want: build{Version: "0.1.0", Commit: "aabbccddeeff00112233445566778899aabbccdd", Date: "2026-11-30T15:38:00Z"},
			says: "vomgr 0.1.0\ncommit    aabbccddeeff of 2026-11-30\n",
		},
		"go install of a tag": {
			info: &debug.BuildInfo{Main: debug.Module{Version: "v0.1.0"}},
			want: build{Version: "0.1.0"},
			says: "vomgr 0.1.0\nbuilt",
		},
		"go install of a commit": {
			info: &debug.BuildInfo{Main: debug.Module{Version: "v0.1.1-0.20261130153800-aabbccddeeff"}},
			want: build{Version: "0.1.1-0.20261130153800-aabbccddeeff", Commit: "aabbccddeeff", Date: "2026-11-30T15:38:00Z"},
			says: "commit    aabbccddeeff of 2026-11-30\n",
		},
		"go build in a clone with changes": {
			info: &debug.BuildInfo{Main: debug.Module{Version: "v0.0.0-20261130153800-aabbccddeeff+dirty"}, Settings: vcs},
			want: build{
				Version: "0.0.0-20261130153800-aabbccddeeff", Commit: "aabbccddeeff00112233445566778899aabbccdd",
				Date: "2026-11-30T15:38:00Z", Modified: true,
			},
			says: "commit    aabbccddeeff of 2026-11-30, modified\n",
		},
		"nothing recorded": {
			info: &debug.BuildInfo{Main: debug.Module{Version: "(devel)"}},
			want: build{Version: "devel"},
			says: "vomgr devel\nbuilt",
		},
		"no build information": {want: build{Version: "devel"}, says: "vomgr devel\nbuilt"},
	} {
		t.Run(name, func(t *testing.T) {
			got := fill(c.set, c.info)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("fill (-want +got):\n%s", diff)
			}
			var out strings.Builder
			got.write(&out)
			if !strings.Contains(out.String(), c.says) {
				t.Errorf("said %q, want in it %q", out.String(), c.says)
			}
		})
	}
}
