package platform

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/shirou/gopsutil/v3/process"
	syswindows "golang.org/x/sys/windows"

	"github.com/vexyart/vomgr/internal/world"
	"github.com/vexyart/vomgr/platform/windows"
)

const (
	directIfUnset = false
	systemShell   = cmdExe // reads {command} when a template names no shell
)

// systemWays lists cmd.exe in a console of its own, then the helper alone in one.
func systemWays(r Request) []Way {
	env, cmd := windowEnv(r.World.Env, r.Place), windows.Cmd(r.World.Getenv("SystemRoot"))
	return []Way{
		{Name: "cmd.exe", Why: "the system's own", Argv: []string{cmd}, line: windows.HelperLine(cmd, cmdQuote(r.Helper), r.Job), Env: env, Wait: slowWait, console: true},
		{Name: "console", Why: "the system's own", Argv: []string{r.Helper}, line: windows.Join([]string{r.Helper, r.Job}), Env: env, console: true},
	}
}

// finishTemplate gives a terminal from the settings its command line, and a console, without which cmd.exe and PowerShell
// would run unseen; a template that names no terminal but the helper gets none. A batch file would read the line again.
func finishTemplate(w Way, template []string) Way {
	if windows.Batch(w.Argv[0]) {
		w.err = fmt.Errorf("%s is a batch file, which would run parts of a folder's name; name the program it starts", w.Argv[0])
		return w
	}
	w.Env = append(w.Env, ownFolderLast)
	w.console = template[0] != "{helper}"
	names := []string{"{project}", "{helper}"}
	w.line = windows.TemplateLine(w.Argv[0], w.Argv[1:], func(i int) bool {
		return strings.Contains(template[i+1], "{command}") || base(template[0]) == "cmd" && slices.Contains(names, template[i+1])
	})
	return w
}

// ownFolderLast has cmd.exe look for programs on PATH alone: in the folder it runs in, which is the project, it would
// look first, and start what is called powershell.exe there.
const ownFolderLast = "NoDefaultCurrentDirectoryInExePath=1"

// openConsole opens a console of its own.
func openConsole(w Way) (<-chan error, error) {
	systemRoot, err := syswindows.GetSystemWindowsDirectory()
	if err != nil {
		return nil, fmt.Errorf("looking for the folder of Windows: %w", err)
	}
	wait, err := windows.Console(w.Argv[0], w.line, w.Dir, windows.EnvBlock(w.Env, systemRoot))
	if err != nil {
		return nil, fmt.Errorf("starting %s: %w", w.Argv[0], err)
	}
	ended := make(chan error, 1)
	go func() {
		if status := wait(); status != 0 {
			ended <- fmt.Errorf("%s ended at once: exit status %d", base(w.Argv[0]), int32(status))
		}
	}()
	return ended, nil
}

// systemTerminals lists cmd.exe's console, and Windows Terminal, which is opened only when the settings name it.
func systemTerminals(r Request) []Terminal {
	list := []Terminal{{Name: "cmd.exe", Path: windows.Cmd(r.World.Getenv("SystemRoot"))}}
	if path := r.World.LookPath("wt"); path != "" {
		list = append(list, Terminal{Name: "wt", Path: path, Unfit: "only when settings.toml names it"})
	}
	return list
}

// displays is for Linux.
func displays(Request) []string { return nil }

// systemNamed knows no other names than the ways have.
func systemNamed(Request, string) []Way { return nil }

// emulatorOf is for Linux.
func emulatorOf(func(string) string) string { return "" }

// startsIn is for Linux.
func startsIn(string, string) bool { return true }

// CloseWindow is for macOS: here a window closes with the program in it.
func CloseWindow(world.World, *os.File) error { return nil }

// Program is what to start for a program found on PATH, with the arguments that come first: what npm's .cmd files
// start, elsewhere the program itself. The error is that of a batch file that starts nothing known: Windows would let
// cmd.exe read the arguments again, and run parts of a prompt.
func Program(w world.World, path string) ([]string, error) {
	argv := windows.Program(path, w.LookPath)
	if windows.Batch(argv[0]) {
		return nil, fmt.Errorf("%s is a batch file, which would run parts of what it is given; name the program it starts", path)
	}
	return argv, nil
}

// InterruptWords are the words that call Interrupt; the process's number follows.
var InterruptWords = []string{"hook", "interrupt"}

// Interrupt does what Ctrl-C does in the console that the process of that number runs in. The calling process loses
// its own console. The result is an exit status.
func Interrupt(pid string) int {
	n, err := strconv.Atoi(pid)
	if err != nil || n <= 0 || windows.Interrupt(n) != nil {
		return 1
	}
	return 0
}

// HearInterrupts lets Ctrl-C reach this process and what it starts again: in a process group that somebody made nobody
// hears it, and whoever is begun there inherits that (measured in Wine).
func HearInterrupts() { windows.HearInterrupts() }

// hostsConsole says that p draws a console. The system begins it below the console's first program; it ends with the
// last one, and all of them, others too, would end with it.
func hostsConsole(p Process) bool {
	return strings.EqualFold(p.Name, "conhost.exe") || strings.EqualFold(p.Name, "OpenConsole.exe")
}

// interruptTime is for the process that sends a Ctrl-C; it takes a tenth of a second.
const interruptTime = 2 * time.Second

// ask asks a member to end. Windows knows no request to one process: the target's console gets a Ctrl-C, sent by a
// process that has nothing else to do, since it leaves its own console for it. In the console of this process the
// new assistant may run already, so nothing is sent there.
func ask(m *member) (heard bool, err error) {
	if m.depth > 0 {
		return false, nil
	}
	if windows.SharesConsole(m.Pid) {
		return false, nil
	}
	self, err := os.Executable()
	if err != nil {
		return false, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), interruptTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, self, append(slices.Clone(InterruptWords), strconv.Itoa(m.Pid))...)
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syswindows.CREATE_NO_WINDOW}
	return cmd.Run() == nil, nil
}

// EndedBySignal is always false: Windows has no signals.
func EndedBySignal(*os.ProcessState) (number int, ok bool) { return 0, false }

// handle holds one process; see windows.Handle.
type handle = windows.Handle

func openHandle(pid int) (*handle, error) {
	h, err := windows.Open(pid)
	if errors.Is(err, os.ErrNotExist) {
		return nil, ErrNoProcess
	}
	return h, err
}

func waitHandles(ctx context.Context, hs []*handle, d time.Duration) error {
	return windows.Wait(ctx, hs, d)
}

func systemBoot() string { return "" }

func closeOnExec() {}

// read looks at one process, without its program and arguments.
func read(pid int) (Process, error) {
	i, err := windows.Read(pid)
	if errors.Is(err, os.ErrNotExist) {
		return Process{}, ErrNoProcess
	}
	return fromInfo(i), err
}

// table looks at every process, without programs and arguments.
func table() ([]Process, error) {
	infos, err := windows.Table()
	if err != nil {
		return nil, err
	}
	list := make([]Process, len(infos))
	for i, info := range infos {
		list[i] = fromInfo(info)
	}
	return list, nil
}

func fromInfo(i windows.Info) Process {
	return Process{
		Pid: i.Pid, Parent: i.Parent, Name: i.Name,
		Start: strconv.FormatUint(i.Start, 10), Started: windows.Began(i.Start),
	}
}

// fill adds the program and its arguments. gopsutil's own list of arguments is split at spaces, so its line is taken.
func (p *Process) fill() {
	other := &process.Process{Pid: int32(p.Pid)}
	p.Exe, _ = other.Exe()
	line, err := other.Cmdline()
	if err != nil {
		return
	}
	p.Args, _ = syswindows.DecomposeCommandLine(line)
}

// startDetached starts what build returns in a console of its own that has no window, and outside the job of this
// process, which may end all in it; where that is forbidden, inside it. A line stands for the arguments. It makes no
// process group: Windows would let nobody in one hear Ctrl-C, nor whom they start (measured in Wine).
func startDetached(line string, build func() *exec.Cmd) (*exec.Cmd, error) {
	const flags = syswindows.CREATE_NO_WINDOW
	cmd := build()
	cmd.SysProcAttr = &syscall.SysProcAttr{CmdLine: line, CreationFlags: flags | syswindows.CREATE_BREAKAWAY_FROM_JOB}
	err := cmd.Start()
	if errors.Is(err, syswindows.ERROR_ACCESS_DENIED) {
		cmd = build()
		cmd.SysProcAttr = &syscall.SysProcAttr{CmdLine: line, CreationFlags: flags}
		err = cmd.Start()
	}
	return cmd, err
}

// NoWindow keeps a program, for which no other flags are set, from opening a console when there is none to share: an
// assistant may call a hook without one, and a window would flash up.
func NoWindow(cmd *exec.Cmd) {
	if !windows.HasConsole() {
		cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syswindows.CREATE_NO_WINDOW}
	}
}

// NoCore does nothing on Windows, which leaves no core files.
func NoCore() (soft uint64, ok bool) { return 0, false }

// SetCore does nothing on Windows.
func SetCore(uint64) bool { return false }
