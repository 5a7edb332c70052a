//go:build e2e

package e2e

import "testing"

// TestVersion: a version named in the environment takes the place of the pinned one; an empty variable names none.
func TestVersion(t *testing.T) {
	for value, want := range map[string]string{"": "1.0.0", "2.0.0": "2.0.0"} {
		t.Setenv("VOMGR_E2E_SOME", value)
		if got := version("VOMGR_E2E_SOME", "1.0.0"); got != want {
			t.Errorf("VOMGR_E2E_SOME=%q: version %s, want %s", value, got, want)
		}
	}
}
