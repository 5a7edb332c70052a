package platform

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Arguments for tmux and screen hold the helper's path, the job's id and names made of it, and nothing of the project:
// tmux 3.3a runs #(…) in the values of -c and -s. The folder is the working directory they are started in.
// More than one word after -- is run as it stands, without a shell.

// tmuxSessionOf asks for the id of the session that target (a pane or a session) is in.
func tmuxSessionOf(tmux, socket, target string) []string {
	return []string{tmux, "-S", socket, "display-message", "-p", "-t", target, "#{session_id}"}
}

// tmuxID says that id is a session's id: a dollar and a number.
func tmuxID(id string) bool {
	number, ok := strings.CutPrefix(id, "$")
	return ok && number != "" && strings.Trim(number, "0123456789") == ""
}

// tmuxWindow opens a window in a session without showing it, and has it close when the helper ends,
// whatever the person's own remain-on-exit says.
func tmuxWindow(tmux, socket, sessionID, helper, job string) []string {
	name := session(job)
	return []string{
		tmux, "-S", socket, "new-window", "-d", "-n", name, "-t", sessionID + ":", "--", helper, job,
		";", "set-option", "-w", "-t", sessionID + ":=" + name, "remain-on-exit", "off",
	}
}

// tmuxSession begins a session that nobody looks at yet. It must not end for that (destroy-unattached).
// An empty socket is the person's usual server.
func tmuxSession(tmux, socket, helper, job string) []string {
	name := session(job)
	argv := []string{tmux}
	if socket != "" {
		argv = append(argv, "-S", socket)
	}
	return append(argv,
		"new-session", "-d", "-s", name, "-n", name, "-x", "160", "-y", "48", "--", helper, job,
		";", "set-option", "-t", "="+name+":", "destroy-unattached", "off",
		";", "set-option", "-w", "-t", "="+name+":", "remain-on-exit", "off")
}

// screenWindow opens a window in the session called sty (the value of STY) and goes back to the one that was shown:
// screen shows every new window.
func screenWindow(screen, sty, helper, job string) []string {
	command := "screen -t " + session(job) + " " + screenWord(helper) + " " + job
	return []string{screen, "-S", sty, "-X", "eval", command, "other"}
}

// screenWord makes one word of text for a command of screen's inside eval, which reads quotes, dollars, carets and
// backslashes, the latter twice: what is not plain is written as a number (measured with screen 4.09).
func screenWord(text string) string {
	var word strings.Builder
	for _, b := range []byte(text) {
		switch {
		case b >= 'a' && b <= 'z', b >= 'A' && b <= 'Z', b >= '0' && b <= '9', strings.IndexByte("/._-", b) >= 0:
			word.WriteByte(b)
		default:
			fmt.Fprintf(&word, `\\%03o`, b)
		}
	}
	return word.String()
}

// screenSession begins a session that nobody looks at yet.
func screenSession(screen, helper, job string) []string {
	return []string{screen, "-dmS", session(job), helper, job}
}

// multiplexed lists the ways into the multiplexer the place is in.
func multiplexed(r Request) []Way {
	var ways []Way
	env := windowEnv(r.World.Env, r.Place)
	if r.Place.TmuxSocket != "" {
		if tmux := r.World.LookPath("tmux"); tmux != "" {
			argv := tmuxWindow(tmux, r.Place.TmuxSocket, r.Place.TmuxSession, r.Helper, r.Job)
			ways = append(ways, Way{Name: "tmux window", Why: "the chain is in tmux", Argv: argv, Env: env, returns: true})
		}
	}
	if r.Place.Screen != "" {
		if screen := r.World.LookPath("screen"); screen != "" {
			argv := screenWindow(screen, r.Place.Screen, r.Helper, r.Job)
			ways = append(ways, Way{Name: "screen window", Why: "the chain is in screen", Argv: argv, Env: env, returns: true})
		}
	}
	return ways
}

// socketOf is where a new tmux server may take the place of the chain's own: that one's socket, or "", the usual one,
// when its folder is gone. There tmux 3.3a would complain, open nothing and answer 0.
func socketOf(p Place) string {
	if fi, err := os.Stat(filepath.Dir(p.TmuxSocket)); p.TmuxSocket == "" || err != nil || !fi.IsDir() {
		return ""
	}
	return p.TmuxSocket
}

// unattended lists the ways that need neither a display nor a person.
func unattended(r Request) []Way {
	var ways []Way
	env := windowEnv(r.World.Env, r.Place)
	if tmux := r.World.LookPath("tmux"); tmux != "" {
		argv := tmuxSession(tmux, socketOf(r.Place), r.Helper, r.Job)
		ways = append(ways, Way{Name: "tmux session " + session(r.Job), Why: "it needs no display", Argv: argv, Env: env, returns: true})
	}
	if screen := r.World.LookPath("screen"); screen != "" {
		argv := screenSession(screen, r.Helper, r.Job)
		ways = append(ways, Way{Name: "screen session " + session(r.Job), Why: "it needs no display", Argv: argv, Env: env, returns: true})
	}
	return ways
}
