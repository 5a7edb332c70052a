package hook

import "testing"

func fifo(t *testing.T, _ string) { t.Skip("no pipes in a folder") }
