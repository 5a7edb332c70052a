package chainlog

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vexyart/vomgr/internal/history"
)

func TestEndedChain(t *testing.T) {
	n := good()
	c := only(t, n.log())
	if c.State != Ended || c.Reason != "until 07:00" || c.Broken != nil || c.HandOvers != 3 || c.Project != "/home/ann/src/api" {
		t.Errorf("%+v", c)
	}
	type row struct {
		hop                      int
		who, start, stop, reason string
		yours                    bool
	}
	var got []row
	clock := func(t time.Time) string {
		if t.IsZero() {
			return ""
		}
		return t.Format("15:04")
	}
	for _, r := range c.Turns {
		got = append(got, row{r.Hop, r.Who, clock(r.Start), clock(r.Stop), r.Reason, r.Yours})
	}
	want := []row{
		{1, "claude", "", "22:12", "finished", true},
		{2, "codex", "22:12", "22:21", "finished", false},
		{3, "claude", "22:21", "22:42", "usage limit", false},
		{4, "codex", "03:20", "06:51", "finished", false},
	}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(row{})); d != "" {
		t.Errorf("turns (-want +got):\n%s", d)
	}
	if len(c.Ignored) != 1 || c.Ignored[0].Why != "background tasks run" {
		t.Errorf("ignored: %+v", c.Ignored)
	}
	if len(c.Steps(2)) != 13 || len(c.Steps(-1)) != len(n.entries) || c.Steps(9) != nil {
		t.Errorf("steps: %d of hop 2, %d of all", len(c.Steps(2)), len(c.Steps(-1)))
	}
}

// Each way a chain can stand, as the steps tell it.
func TestStates(t *testing.T) {
	const late = 61 * time.Second
	one := func() *night { return begin("k1", "/p", "22:00:00").over(1, "claude", "codex", "finished") }
	hook := func() *night { return one().at("22:10:00").hook(2, "codex", "claude", "finished") }
	half := func(last, err string) *night { return one().at("22:10:00").upTo(last, err) }
	terminal := func(err string) *night { return hook().add(2, "codex", "claude", history.Terminal, "xterm", err) }
	claimed := func() *night { return terminal("").add(2, "codex", "claude", history.Claimed, "", "") }
	for name, c := range map[string]struct {
		n     *night
		after time.Duration
		state State
		text  string // reason, or step and why
	}{
		"works":                  {one(), 3 * time.Hour, Running, ""},
		"hook goes on":           {half(history.Prompt, ""), time.Second, Underway, ""},
		"hook died":              {half(history.Prompt, ""), late, Broken, "command: the hook was not heard of again after the step prompt"},
		"hook failed":            {half(history.Preferences, "x.toml:3:1: y"), 0, Broken, "preferences: x.toml:3:1: y"},
		"guard failed":           {half(history.Guard, "no lock"), 0, Broken, "guard: no lock"},
		"hook died at once":      {half(history.Called, ""), late, Broken, "project: the hook was not heard of again after the step called"},
		"job written":            {hook(), 59 * time.Second, Underway, ""},
		"launcher died":          {hook(), late, Pending, "terminal: vomgr was not heard of again after the step job"},
		"terminal opens":         {terminal(""), 0, Underway, ""},
		"terminal opened":        {terminal(""), late, Pending, "claimed: nothing in that terminal took the job up"},
		"next way follows":       {terminal("no display"), 0, Underway, ""},
		"no way left":            {terminal("no display"), late, Pending, "terminal: no display"},
		"no way left, told":      {terminal("no display").add(2, "", "", history.Rested, "no terminal could be opened", ""), 0, Pending, "terminal: no display"},
		"taken, not started":     {claimed().add(2, "", "", history.Terminal, "tmux", ""), late, Broken, "started: the helper was not heard of again after the step claimed"},
		"started once more":      {one().add(1, "claude", "codex", history.Exited, "codex, status 1", "").add(1, "claude", "codex", history.Started, "codex, pid 9, once more", ""), 0, Running, ""},
		"late window":            {one().add(1, "claude", "codex", history.Claimed, "", "job k1h1x: the job was taken already"), 0, Running, ""},
		"second way":             {terminal("no display").add(2, "", "", history.Terminal, "tmux", ""), 0, Underway, ""},
		"claimed":                {claimed(), 0, Underway, ""},
		"helper died":            {claimed(), late, Broken, "started: the helper was not heard of again after the step claimed"},
		"no such program":        {claimed().add(2, "", "", history.Started, "", "claude: not found"), 0, Broken, "started: claude: not found"},
		"no such program, told":  {claimed().add(2, "", "", history.Started, "", "claude: not found").opened("tmux", ""), 0, Broken, "started: claude: not found"},
		"helper's word counts":   {claimed().add(2, "", "", history.Started, "", "claude: not found").opened("tmux", "the job is failed"), late, Broken, "started: claude: not found"},
		"window refused, told":   {hook().add(2, "", "", history.Claimed, "", "paused").opened("tmux", "nothing is started in it: paused"), 0, Broken, "claimed: paused"},
		"next way failed later":  {terminal("").add(2, "", "", history.Claimed, "", "too old").add(2, "", "", history.Terminal, "tmux", "no server"), late, Broken, "terminal: no server"},
		"claim refused":          {terminal("").add(2, "", "", history.Claimed, "", "paused"), 0, Broken, "claimed: paused"},
		"started":                {claimed().add(2, "", "", history.Started, "pid 1", ""), late, Running, ""},
		"former exits":           {claimed().add(2, "", "", history.Started, "pid 1", "").add(1, "claude", "codex", history.Exited, "replaced", ""), 0, Running, ""},
		"closed":                 {one().add(1, "claude", "codex", history.Exited, "codex, status 0", ""), 0, Ended, "codex was closed"},
		"window closed":          {one().add(1, "claude", "codex", history.Exited, "codex, status 129", ""), 0, Ended, "codex was closed"},
		"left with an error":     {one().add(1, "claude", "codex", history.Exited, "codex, status 1", ""), 0, Broken, "exited: codex, status 1"},
		"crashed":                {one().add(1, "claude", "codex", history.Crashed, "signal 11", ""), 0, Broken, "crashed: signal 11"},
		"silent":                 {one().add(1, "claude", "codex", history.Silent, "for 12 min", ""), 0, Running, ""},
		"rests":                  {one().add(2, "codex", "claude", history.Called, "finished", "").add(2, "codex", "claude", history.Guard, "20 in the last hour", "").add(2, "codex", "claude", history.Rested, "until 22:40", ""), time.Hour, Resting, "until 22:40"},
		"woke":                   {one().add(2, "codex", "claude", history.Rested, "until 22:40", "").add(2, "codex", "claude", history.Woke, "", ""), late, Broken, "prompt: the hook was not heard of again after the step woke"},
		"only an ignored stop":   {one().ignored(2, "codex", "a turn already handled"), late, Running, ""},
		"ended":                  {one().add(0, "", "", history.Ended, "max_handovers: 1", ""), 0, Ended, "max_handovers: 1"},
		"ended by hand":          {one().add(1, "", "", history.Ended, "vomgr stop", "").add(1, "", "", history.Ended, "pid 9 and 0 below it, gone in 0.1 s", ""), 0, Ended, "vomgr stop"},
		"ended, no reason":       {one().add(0, "", "", history.Ended, "", ""), 0, Ended, "ended"},
		"taken over":             {one().add(2, "codex", "", history.TakenOver, "your last prompt", ""), 0, Ended, "a person went on"},
		"goes on after its end":  {one().add(0, "", "", history.Ended, "until 07:00", "").over(2, "", "claude", ""), 0, Running, ""},
		"tried again":            {terminal("no display").at("23:00:00").over(2, "codex", "claude", "by hand"), 0, Running, ""},
		"a person's, not handed": {begin("k1", "/p", "22:00:00").hook(1, "claude", "codex", "finished"), late, Pending, "terminal: vomgr was not heard of again after the step job"},
	} {
		t.Run(name, func(t *testing.T) {
			got := only(t, Build(c.n.entries, c.n.now.Add(c.after)))
			text := got.Reason
			if b := got.Broken; b != nil {
				text = b.Step + ": " + b.Why
				if b.Hop < 1 || b.Source == "" || b.Target == "" || b.Time.IsZero() {
					t.Errorf("%+v", *b)
				}
			}
			if got.State != c.state || text != c.text {
				t.Errorf("%s, %q; want %s, %q", got.State, text, c.state, c.text)
			}
		})
	}
}

// A stop reported while a hand-over is under way stands in the middle of its steps, and is not part of it.
func TestStopsWhileAHandOverIsUnderWay(t *testing.T) {
	n := begin("k1", "/p", "22:00:00").hook(1, "claude", "codex", "finished")
	n.ignored(1, "claude", "in-flight").ignored(1, "claude", "in-flight")
	n.add(1, "claude", "codex", history.Terminal, "tmux", "").ignored(1, "codex", "busy").helper(1, "claude", "codex")
	c := only(t, n.log())
	if c.State != Running || c.HandOvers != 1 || len(c.Ignored) != 3 || len(c.Turns) != 2 {
		t.Errorf("%+v", c)
	}
	for _, s := range c.Ignored {
		if s.Step != history.Guard || s.Why == "" {
			t.Errorf("%+v", s)
		}
	}
}

func TestStopsWithoutAChain(t *testing.T) {
	n := begin("", "/home/ann/src/api", "22:00:00").ignored(0, "claude", "not a terminal session (sdk-py)")
	n.add(0, "codex", "", history.Called, "finished", "").add(0, "codex", "", history.Project, "", "")
	n.add(0, "codex", "", history.Preferences, "", "settings.toml:3:1: x")
	n.add(0, "claude", "", history.Called, "finished", "")
	l := n.log()
	if len(l.Chains) != 0 || len(l.Ignored) != 1 || len(l.Failed) != 1 || l.Failed[0].Step != history.Preferences || l.Failed[0].Source != "codex" {
		t.Errorf("%+v", l)
	}
	if l := Build(n.entries, n.now.Add(2*time.Minute)); len(l.Failed) != 2 || l.Failed[1].Step != history.Project {
		t.Errorf("a hook that was not heard of again: %+v", l.Failed)
	}
	n.chain = "k7"
	n.ignored(1, "claude", "busy")
	if l := n.log(); len(l.Chains) != 0 || len(l.Ignored) != 2 || l.Ignored[1].Chain != "k7" {
		t.Errorf("a chain that has only an ignored stop: %+v", l)
	}
}

// An assistant that vomgr run started is known from its start; nobody handed over to it.
func TestStartedByHand(t *testing.T) {
	n := begin("k1", "/p", "21:58:00").add(1, "claude", "claude", history.Prompt, "", "").helper(1, "claude", "claude")
	c := only(t, n.log())
	want := []Turn{{Hop: 2, Who: "claude", Yours: true, Start: n.entries[2].Time}}
	if d := cmp.Diff(want, c.Turns); d != "" || c.State != Running || c.HandOvers != 0 {
		t.Errorf("%s, %d hand-overs, turns (-want +got):\n%s", c.State, c.HandOvers, d)
	}
	n.at("22:10:00").over(2, "claude", "codex", "finished")
	c = only(t, n.log())
	if c.HandOvers != 1 || len(c.Turns) != 2 || c.Turns[0].Worked(n.now).Round(time.Minute) != 12*time.Minute || c.Turns[1].Yours {
		t.Errorf("%+v", c.Turns)
	}
}

// A hook that cannot read the preferences does not learn which chain it breaks; the history tells.
func TestFailedStopBreaksItsChain(t *testing.T) {
	n := begin("k1", "/p", "22:00:00").over(1, "claude", "codex", "finished").at("22:30:00")
	stray := func(project, source string) Log {
		m := night{now: n.now, project: project}
		m.add(0, source, "", history.Called, "finished", "").add(0, source, "", history.Preferences, "", "x.toml:1:1: y")
		return Build(append(n.log().Chains[0].entries, m.entries...), m.now)
	}
	l := stray("/p", "codex")
	c := only(t, l)
	if len(l.Failed) != 0 || c.State != Broken || c.Broken.Step != history.Preferences || c.Broken.Hop != 2 || c.Turns[1].Stop.IsZero() {
		t.Errorf("%+v", l)
	}
	for _, other := range []Log{stray("/p", "claude"), stray("/q", "codex")} {
		if len(other.Failed) != 1 || only(t, other).State != Running {
			t.Errorf("%+v", other)
		}
	}
}

func TestFind(t *testing.T) {
	var entries []history.Entry
	for _, c := range [][2]string{{"ab1", "/x/api"}, {"ab2", "/x/web"}, {"c3", "/x/api"}, {"ab", "/y/ab1"}} {
		entries = append(entries, begin(c[0], c[1], "22:00:00").over(1, "claude", "codex", "finished").entries...)
	}
	l := Build(entries, entries[0].Time)
	for name, want := range map[string]string{"ab1": "ab1", "ab": "ab", "c": "c3", "api": "c3", "/x/web": "ab2"} {
		if c, err := l.Find(name); err != nil || c.ID != want {
			t.Errorf("Find(%s) = %s, %v; want %s", name, c.ID, err, want)
		}
	}
	for name, want := range map[string]string{"": "no chain or project", "a": "3 chains begin with", "ap": "no chain or project", "x": "no chain"} {
		if c, err := l.Find(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Find(%q) = %s, %v; want %s", name, c.ID, err, want)
		}
	}
}
