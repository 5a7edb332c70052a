package windows

import (
	"testing"
	"time"
)

func TestBegan(t *testing.T) {
	want := time.Date(2026, 11, 30, 21, 58, 4, 500, time.UTC)
	if got := Began(epoch + uint64(want.UnixNano()/100)); !got.Equal(want) {
		t.Errorf("%s, want %s", got, want)
	}
	if got := Began(0); !got.IsZero() {
		t.Errorf("no start is %s", got)
	}
}
