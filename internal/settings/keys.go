package settings

// choice is where one of a few words is stored.
type choice struct {
	store func(string)
	load  func() string
	words []string
}

func oneOf[T ~string](dst *T, words ...T) choice {
	c := choice{store: func(w string) { *dst = T(w) }, load: func() string { return string(*dst) }, words: make([]string, len(words))}
	for i, w := range words {
		c.words[i] = string(w)
	}
	return c
}

// clock is where a time of day is stored.
type clock struct{ dst *string }

// find follows path from the root of the file. dst is where the value at path[:n] is stored, nil when that is a table;
// n < len(path) with dst nil means that vomgr knows no key of that name.
func (s *Settings) find(path []string) (dst any, n int) {
	rest := path[1:]
	switch path[0] {
	case "kill_old_sessions":
		return &s.KillOldSessions, 1
	case "handover_on_usage_limit":
		return &s.HandoverOnUsageLimit, 1
	case "command_style":
		return oneOf(&s.CommandStyle, StyleAuto, StyleDocumented), 1
	case "replace_first":
		return oneOf(&s.ReplaceFirst, ReplaceAtLimit, ReplaceAlways, ReplaceNever), 1
	case "continuations":
		return below(rest, s.findContinuation)
	case "prompts":
		return below(rest, s.findPrompt)
	case "commands":
		return below(rest, s.findCommand)
	case "notifications":
		return below(rest, s.Notifications.find)
	case "terminals":
		return below(rest, s.Terminals.find)
	case "scope":
		return below(rest, s.Scope.find)
	case "limits":
		return below(rest, s.Limits.find)
	}
	return nil, 0
}

// below continues a search inside a table that rest leads into.
func below(rest []string, find func([]string) (any, int)) (dst any, n int) {
	if len(rest) == 0 {
		return nil, 1
	}
	dst, n = find(rest)
	return dst, n + 1
}

func (s *Settings) findContinuation(path []string) (dst any, n int) {
	c := s.Continuations.of(path[0])
	if c == nil {
		return nil, 0
	}
	return below(path[1:], c.find)
}

func (c *Continuation) find(path []string) (dst any, n int) {
	switch path[0] {
	case "enabled":
		return &c.Enabled, 1
	case "target":
		return &c.Target, 1
	}
	return nil, 0
}

func (s *Settings) findPrompt(path []string) (dst any, n int) {
	p := s.Prompts.of(path[0])
	if p == nil {
		return nil, 0
	}
	*s.promptsGiven.of(path[0]) = true
	return p, 1
}

func (s *Settings) findCommand(path []string) (dst any, n int) {
	if argv := s.Commands.of(path[0]); argv != nil {
		return argv, 1
	}
	return nil, 0
}

func (o *Notifications) find(path []string) (dst any, n int) {
	switch path[0] {
	case "enabled":
		return &o.Enabled, 1
	case "message":
		return &o.Message, 1
	case "sound":
		return &o.Sound, 1
	case "desktop":
		return oneOf(&o.Desktop, DesktopEnds, DesktopAll, DesktopNever), 1
	}
	return nil, 0
}

func (t *Terminals) find(path []string) (dst any, n int) {
	switch path[0] {
	case "keep_open":
		return &t.KeepOpen, 1
	case "defaults":
		return below(path[1:], t.Defaults.find)
	case "per_tool":
		return below(path[1:], t.findTool)
	}
	return nil, 0
}

func (t *Terminals) findTool(path []string) (dst any, n int) {
	p := t.PerTool.of(path[0])
	if p == nil {
		return nil, 0
	}
	return below(path[1:], p.find)
}

func (p *PerPlatform) find(path []string) (dst any, n int) {
	if argv := p.of(path[0]); argv != nil {
		return argv, 1
	}
	return nil, 0
}

func (c *Scope) find(path []string) (dst any, n int) {
	switch path[0] {
	case "mode":
		return oneOf(&c.Mode, Everywhere, Armed, OnlyFolders), 1
	case "folders":
		return &c.Folders, 1
	}
	return nil, 0
}

func (l *Limits) find(path []string) (dst any, n int) {
	switch path[0] {
	case "max_handovers":
		return &l.MaxHandovers, 1
	case "max_hours":
		return &l.MaxHours, 1
	case "max_per_hour":
		return &l.MaxPerHour, 1
	case "max_quick":
		return &l.MaxQuick, 1
	case "stop_when_stalled":
		return &l.StopWhenStalled, 1
	case "stop_when_done":
		return &l.StopWhenDone, 1
	case "until":
		return clock{&l.Until}, 1
	}
	return nil, 0
}
