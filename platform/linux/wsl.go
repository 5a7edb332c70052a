package linux

import "strings"

// WSL is the command line by which Windows opens a console in which the helper runs inside this distribution; nil
// when that cannot be said in it. cmd.exe reads the line once more, so only plain words may stand in it; the first
// one behind start is not quoted, or it would be the window's title. cmd is the path of cmd.exe.
func WSL(cmd, distribution, helper, job string) []string {
	if cmd == "" || !plain(helper) || !plain(job) {
		return nil
	}
	argv := []string{cmd, "/d", "/c", "start", "wsl.exe"}
	if plain(distribution) { // else the one that is the default
		argv = append(argv, "-d", distribution)
	}
	return append(argv, "--exec", helper, job) // --exec: no shell reads it
}

// plain says that every reader of a command line takes word for itself.
func plain(word string) bool {
	const others = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-"
	return word != "" && !strings.HasPrefix(word, "-") && strings.Trim(word, others) == ""
}
