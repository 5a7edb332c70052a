package hook

import (
	"cmp"

	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/internal/chain"
	"github.com/vexyart/vomgr/internal/settings"
	"github.com/vexyart/vomgr/internal/world"
)

// Preview is a prompt as the hook would make it.
type Preview struct {
	Source assistant.Name `json:"source"`
	Target assistant.Name `json:"target"`
	Prompt string         `json:"prompt"`
	Cut    bool           `json:"cut"`             // it was too long for a command line
	Fault  string         `json:"fault,omitempty"` // why the template is used exactly as it stands
}

// PreviewPrompt makes the prompt that source would leave in project if it finished an answer now and said message last.
// Nothing is changed or started.
func PreviewPrompt(w world.World, set settings.Settings, source assistant.Assistant, project, message string) (Preview, error) {
	st, err := chain.Store{Dir: w.StateDir(), Now: w.Now}.Project(project).Read()
	if err != nil {
		return Preview{}, err
	}
	target := assistant.Target(set.Continuation(string(source.Name)).Target)
	values := promptValues{
		project: project, source: string(source.Name), target: string(target.Name), reason: ReasonFinished, hop: 1, lastMessage: message,
	}
	if c := st.Chain; c != nil && c.Ended == "" && (alive(st.Session) || w.Now().Sub(c.Alive) <= chain.Idle) {
		values.hop = c.Hops + 1
	}
	if st.Session != nil && st.Session.Tool == string(source.Name) {
		values.since = st.Session.Head
	}
	order := handover{w: w, set: set, source: source, target: target, project: project, values: values}
	p := Preview{Source: source.Name, Target: target.Name, Fault: PromptFault(set.Prompt(string(source.Name)))}
	p.Prompt, p.Cut = order.prompt(cmp.Or(target.Installed(w).Path, string(target.Name)))
	return p, nil
}

// PromptFault says why a prompt's template would be used exactly as it stands, placeholders and all; "" when it would
// be filled in.
func PromptFault(template string) string {
	_, fault := dissect(template, promptValues{}.lookup)
	return fault
}
