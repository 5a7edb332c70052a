package edit

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var notify = []string{"/opt/vomgr/voco-go"}

// Every accepted TOML input of testdata/config gives the expected bytes; doing it again changes nothing; taking it out
// gives the input back, but for the list that was empty before.
func TestNotifyCases(t *testing.T) {
	cases := map[string]string{
		"21-table-first-with-schema.toml": "", "22-decoys.toml": "", "24-crlf-bom-aot.toml": "",
		"26-empty-array-quoted-key.toml": "model = \"m1\"\n", "29-no-eol.toml": "", "30-empty.toml": "",
	}
	for name, left := range cases {
		t.Run(name, func(t *testing.T) {
			in := input(t, name)
			out, err := SetKey(in, []string{"notify"}, notify)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(input(t, "expected/"+name)), string(out)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			again, err := SetKey(out, []string{"notify"}, notify)
			if err != nil || string(again) != string(out) {
				t.Errorf("again: %v\n%s", err, again)
			}
			if left == "" {
				left = string(in)
			}
			back, err := UnsetKey(out, "notify")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(left, string(back)); diff != "" {
				t.Errorf("taken out (-want +got)\n%s", diff)
			}
		})
	}
}

func TestPrependAndDrop(t *testing.T) {
	docs := []string{
		string(input(t, "23-foreign-notify-multiline.toml")),
		"notify = ['a', \"b\"]\n",
		"notify=[ 'a',\"b\" ]",
		"notify = [ # first\r\n\t'a', # one, two\r\n\t'b' ]\r\n",
		"notify = ['a',\n  'b',\n]\n",
		"notify = [\n'a']",
		"notify = [\n\n  # x, y ]\n  'a'\n  # z\n]\n[t]\nnotify = ['c']\n",
	}
	for _, doc := range docs {
		old, _, err := Strings([]byte(doc), "notify")
		if err != nil {
			t.Fatal(err)
		}
		out, err := PrependElements([]byte(doc), []string{"notify"}, "/x/voco-go", "--then")
		if err != nil {
			t.Fatal(err)
		}
		got, _, err := Strings(out, "notify")
		if want := append([]string{"/x/voco-go", "--then"}, old...); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %q, %v", out, got, err)
		}
		// One pure insertion: nothing of the document is gone.
		if !isInsertion(doc, string(out)) {
			t.Errorf("not an insertion:\n%s", cmp.Diff(doc, string(out)))
		}
		moved, err := SetElement(out, []string{"notify"}, 0, "/y/voco-go")
		if err != nil || string(moved) != strings.Replace(string(out), "/x/", "/y/", 1) {
			t.Errorf("%v\n%s", err, moved)
		}
		back, err := DropElements(out, []string{"notify"}, 2)
		if err != nil || string(back) != doc {
			t.Errorf("%v\n%s", err, cmp.Diff(doc, string(back)))
		}
	}
}

func TestSetKey(t *testing.T) {
	cases := []struct {
		name, doc, path string
		value           any
		want            string
	}{
		{"replace", "# c\n[a.b]\nx = true # on\ny = 1\n", "a.b.x", false, "# c\n[a.b]\nx = false # on\ny = 1\n"},
		{"same value, other spelling", "x = 'a'\n", "x", "a", "x = 'a'\n"},
		{"into a table", "[a]\n  x=1 # c\n\n# about b\n[b]\n", "a.y", "s", "[a]\n  x=1 # c\n  y=\"s\"\n\n# about b\n[b]\n"},
		{"into an empty table", "[a]\n\n[b]\n", "a.y", 7, "[a]\ny = 7\n\n[b]\n"},
		{"dotted", "a.b.x = 1\n[c]\n", "a.b.y", 2, "a.b.x = 1\na.b.y = 2\n[c]\n"},
		{"dotted below a table", "[a]\nb.x = 1\n", "a.b.y", 2, "[a]\nb.x = 1\nb.y = 2\n"},
		{"inline", "a = { x = 1, y = 2 } # c\n", "a.y", 3, "a = { x = 1, y = 3 } # c\n"},
		{"inline, new", "a = { x = 1 }\n", "a.y", 3, "a = { x = 1, y = 3 }\n"},
		{"inline, empty", "a = {}\n", "a.y.z", true, "a = { y.z = true }\n"},
		{"inline in inline", "a = {b = {c = 'x'}}\n", "a.b.c", "y", "a = {b = {c = \"y\"}}\n"},
		{"new table", "x = 1\n", "a.b.y", true, "x = 1\n\n[a.b]\ny = true\n"},
		{"new table, no end of line", "x = 1", "a.y", true, "x = 1\n\n[a]\ny = true"},
		{"new table in nothing", "", "a.y", true, "[a]\ny = true\n"},
		{"new table beside its relative", "[a.b]\ny = 1\n\n# c\n[c]\n", "a.d.y", 2, "[a.b]\ny = 1\n\n[a.d]\ny = 2\n\n# c\n[c]\n"},
		{"quoted names", "[p.\"/x/a.b c\"]\nt = 1\n", "p./x/a?b c.t", 2, "[p.\"/x/a.b c\"]\nt = 2\n"},
		{"lists", "[s]\nfolders = [] # none\n", "s.folders", []string{"/a", `c:\b "x"`}, "[s]\nfolders = [\"/a\", \"c:\\\\b \\\"x\\\"\"] # none\n"},
		{"several lines", "[p]\n", "p.x", "a\n\"\"\"b\\\n\"", "[p]\nx = \"\"\"\na\n\\\"\\\"\"b\\\\\n\\\"\"\"\"\n"},
		{"several lines, crlf", "[p]\r\n", "p.x", "a\nb\r\n", "[p]\r\nx = \"a\\nb\\r\\n\"\r\n"},
		{"comments only", "# c", "x", 1, "# c\nx = 1"},
		{"replaced list of several lines", "x = [\n 1, # one\n 2\n]\n", "x", []string{"a"}, "x = [\"a\"]\n"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			path := strings.Split(c.path, ".")
			for i := range path {
				path[i] = strings.ReplaceAll(path[i], "?", ".")
			}
			out, err := SetKey([]byte(c.doc), path, c.value)
			if err != nil || string(out) != c.want {
				t.Fatalf("%v\n%s", err, cmp.Diff(c.want, string(out)))
			}
			got, ok, err := Key(out, path...)
			if list, isList := c.value.([]string); isList {
				c.value = nil
				got2, _, _ := Strings(out, path...)
				if !reflect.DeepEqual(got2, list) {
					t.Errorf("reads as %q", got2)
				}
			} else if n, isInt := c.value.(int); isInt {
				c.value = int64(n)
			}
			if !ok || err != nil || c.value != nil && got != c.value {
				t.Errorf("reads as %#v, %v, %v", got, ok, err)
			}
		})
	}
}

func TestCopyKey(t *testing.T) {
	from := []byte("x = [ # none\r\n]\r\n[a]\ny = 'q'\n")
	for _, c := range []struct{ doc, path, want string }{
		{"y = 1\nx = ['z'] # c\n", "x", "y = 1\nx = [ # none\n] # c\n"},
		{"a = { y = 1 }\n", "a.y", "a = { y = 'q' }\n"},
	} {
		if out, err := CopyKey([]byte(c.doc), from, strings.Split(c.path, ".")...); err != nil || string(out) != c.want {
			t.Errorf("%q, %v", out, err)
		}
	}
	for _, doc := range []string{"y = 1\n", "x = ", "x.y = 1\n"} {
		if out, err := CopyKey([]byte(doc), from, "x"); err == nil {
			t.Errorf("%q", out)
		}
	}
}

func TestUnsetKey(t *testing.T) {
	cases := []struct{ doc, path, want string }{
		{"x = 1 # c\ny = 2\n", "x", "y = 2\n"},
		{"x = 1\r\ny = 2", "y", "x = 1"},
		{"x = 1", "x", ""},
		{"[a]\nx = [\n1,\n]\n[b]\n", "a.x", "[a]\n[b]\n"},
		{"a = { x = 1, y = 2, z = 3 }\n", "a.x", "a = { y = 2, z = 3 }\n"},
		{"a = { x = 1, y = 2, z = 3 }\n", "a.y", "a = { x = 1, z = 3 }\n"},
		{"a = { x = 1 }\n", "a.x", "a = {}\n"},
		{"[a]\nx = 1\n", "a.y", "[a]\nx = 1\n"},
	}
	for _, c := range cases {
		out, err := UnsetKey([]byte(c.doc), strings.Split(c.path, ".")...)
		if err != nil || string(out) != c.want {
			t.Errorf("%q without %s: %q, %v", c.doc, c.path, out, err)
		}
	}
}

func TestTOMLRefusals(t *testing.T) {
	cases := []struct{ doc, path, want string }{
		{string(input(t, "28-duplicate-notify.toml")), "notify", "3:1: notify is defined twice"},
		{"[a]\n[b]\n[a]\n", "notify", "3:1: table a is defined twice"},
		{"a = 1\na.b = 2\n", "notify", "2:1: a.b is defined twice"},
		{"[a]\nx = 2021-02-30\n", "notify", "2:5: "},
		{"x = { a = 1, a = 2 }\n", "notify", "1:14: a is defined twice"},
		{"x = 1\n<<<<<<< HEAD\n", "notify", "2:1: a merge conflict"},
		{"x = \n", "notify", "1:5: "},
		{"x = [1, 2", "notify", "1:"},
		{"notify = \"x\"\n", "notify.y", "1:10: notify is a value where a table is expected"},
		{"notify.x = 1\n", "notify", "1:1: notify is a table"},
		{"[[a]]\nx = 1\n", "a.x", "1:1: a is a list of tables"},
		{"[a.b]\n", "a", "1:1: a is a table"},
		{"x = \"\xe4\"\n", "notify", "1:6: a byte that is not UTF-8"},
	}
	for _, c := range cases {
		path := strings.Split(c.path, ".")
		out, err := SetKey([]byte(c.doc), path, notify)
		var r *Refusal
		if out != nil || !errors.As(err, &r) || !strings.HasPrefix(err.Error(), c.want) || r.Remedy == "" {
			t.Errorf("%q: %q, %v", c.doc, out, err)
		}
	}
	if _, _, err := Strings([]byte("notify = \"x\"\n"), "notify"); err == nil || !strings.HasPrefix(err.Error(), "1:10: notify is not a list of strings") {
		t.Error(err)
	}
	for _, doc := range []string{"notify = []\n", "x = 1\n", "notify = ['a']\n"} {
		if out, err := DropElements([]byte(doc), []string{"notify"}, 1); err == nil {
			t.Errorf("%q: %q", doc, out)
		}
	}
	for _, v := range []any{1.5, "\xff", []string{"a", "\xff"}} {
		if out, err := SetKey(nil, []string{"x"}, v); err == nil {
			t.Errorf("%v became %q", v, out)
		}
	}
}

// A multi-line string may hold anything.
func TestConflictMarksInAString(t *testing.T) {
	doc := "x = \"\"\"\n<<<<<<< a\n=======\n\"\"\"\n"
	out, err := SetKey([]byte(doc), []string{"y"}, 1)
	if err != nil || string(out) != doc+"y = 1\n" {
		t.Errorf("%q, %v", out, err)
	}
}

func BenchmarkManyTables(b *testing.B) {
	for _, n := range []int{1000, 16000} {
		var doc strings.Builder
		for i := range n {
			fmt.Fprintf(&doc, "[projects.\"/home/someone/p%d\"]\ntrust_level = \"trusted\"\n\n", i)
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				if _, err := SetKey([]byte(doc.String()), []string{"notify"}, notify); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func TestRemoveElement(t *testing.T) {
	for _, c := range []struct{ doc, first, last string }{
		{"l = ['a', \"b\"]\n", "l = [\"b\"]\n", "l = ['a']\n"},
		{"l = ['a', \"b\",] # c\n", "l = [\"b\",] # c\n", "l = ['a',] # c\n"},
		{"l=[ 'a','b' ]", "l=[ 'b' ]", "l=[ 'a' ]"},
		{"l = [ # l\r\n\t'a', # one, two\r\n\t'b' ]\r\n", "l = [ # l\r\n\t'b' ]\r\n", "l = [ # l\r\n\t'a', # one, two\r\n\t]\r\n"},
		{"l = [\n  # of a\n  'a',\n  'b', # of b\n  # end\n]\n", "l = [\n  # of a\n  'b', # of b\n  # end\n]\n", "l = [\n  # of a\n  'a',\n  # end\n]\n"},
		{"l = ['a'\n  # of a\n  , 'b'\n]\n", "l = ['b'\n]\n", "l = ['a'\n]\n"},
		{"l = [\n'a', 'b']\n[t]\nl = ['a']\n", "l = [\n'b']\n[t]\nl = ['a']\n", "l = [\n'a']\n[t]\nl = ['a']\n"},
		{"l = ['a']\n", "l = []\n", "l = []\n"},
		{"l = [\n  'a',\n]", "l = []", "l = []"},
		{"l = [ 'a', # b\n]\n", "l = [ # b\n]\n", "l = [ # b\n]\n"},
		{"t = { l = ['a', 'b'] }\n", "t = { l = ['b'] }\n", "t = { l = ['a'] }\n"},
	} {
		path := []string{"l"}
		if strings.HasPrefix(c.doc, "t = {") {
			path = []string{"t", "l"}
		}
		list, _, err := Strings([]byte(c.doc), path...)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range map[int]string{0: c.first, len(list) - 1: c.last} {
			got, err := RemoveElement([]byte(c.doc), path, i)
			if err != nil || string(got) != want {
				t.Errorf("%q without %d: %v\n got %q\nwant %q", c.doc, i, err, got, want)
			}
		}
	}
	if out, err := RemoveElement([]byte("l = ['a']"), []string{"l"}, 1); err == nil {
		t.Errorf("an element that is not there was removed: %s", out)
	}
}
