package windows

import (
	"errors"
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Console starts a command line in a console of its own, in the folder dir. The program gets the console's own
// handles: os/exec would always name others, and an assistant would see no terminal (measured in Wine). The new window
// is shown but does not take the focus. It is started outside the job of this process, which may end all in it, or
// inside where that is forbidden. wait returns the program's status once it has ended.
func Console(program, line, dir string, env []uint16) (wait func() uint32, err error) {
	const flags = windows.CREATE_NEW_CONSOLE | windows.CREATE_UNICODE_ENVIRONMENT
	h, err := create(program, line, dir, env, flags|windows.CREATE_BREAKAWAY_FROM_JOB)
	if errors.Is(err, windows.ERROR_ACCESS_DENIED) {
		h, err = create(program, line, dir, env, flags)
	}
	if err != nil {
		return nil, os.NewSyscallError("CreateProcess", err)
	}
	return func() uint32 {
		defer func() { _ = windows.CloseHandle(h) }()
		var status uint32
		if _, err := windows.WaitForSingleObject(h, windows.INFINITE); err == nil {
			_ = windows.GetExitCodeProcess(h, &status)
		}
		return status
	}, nil
}

func create(program, line, dir string, env []uint16, flags uint32) (windows.Handle, error) {
	var paths [3]*uint16
	for i, s := range []string{program, line, dir} {
		if s == "" {
			continue
		}
		p, err := windows.UTF16PtrFromString(s)
		if err != nil {
			return 0, err
		}
		paths[i] = p
	}
	title, err := windows.UTF16PtrFromString("vomgr")
	if err != nil {
		return 0, err
	}
	const showNoActivate = 4 // SW_SHOWNOACTIVATE
	startup := windows.StartupInfo{Title: title, Flags: windows.STARTF_USESHOWWINDOW, ShowWindow: showNoActivate}
	startup.Cb = uint32(unsafe.Sizeof(startup))
	var info windows.ProcessInformation
	if err := windows.CreateProcess(paths[0], paths[1], nil, nil, false, flags, &env[0], paths[2], &startup, &info); err != nil {
		return 0, err
	}
	_ = windows.CloseHandle(info.Thread)
	return info.Process, nil
}

var (
	kernel32              = windows.NewLazySystemDLL("kernel32.dll")
	attachConsole         = kernel32.NewProc("AttachConsole")
	freeConsole           = kernel32.NewProc("FreeConsole")
	setConsoleCtrlHandler = kernel32.NewProc("SetConsoleCtrlHandler")
	getConsoleProcessList = kernel32.NewProc("GetConsoleProcessList")
)

// Interrupt does what Ctrl-C does in the console pid runs in: every program there hears it. The calling process
// leaves its own console for good, so it is for one that has nothing else to do.
func Interrupt(pid int) error {
	_, _, _ = freeConsole.Call()
	if ok, _, err := attachConsole.Call(uintptr(pid)); ok == 0 {
		return os.NewSyscallError("AttachConsole", err)
	}
	if ok, _, err := setConsoleCtrlHandler.Call(0, 1); ok == 0 { // not this one
		return os.NewSyscallError("SetConsoleCtrlHandler", err)
	}
	if err := windows.GenerateConsoleCtrlEvent(windows.CTRL_C_EVENT, 0); err != nil {
		return os.NewSyscallError("GenerateConsoleCtrlEvent", err)
	}
	time.Sleep(100 * time.Millisecond) // the event goes out from this process
	return nil
}

// HearInterrupts lets Ctrl-C reach this process, and what it starts, even where it was begun in a process group of its own.
func HearInterrupts() { _, _, _ = setConsoleCtrlHandler.Call(0, 0) }

// HasConsole says that this process runs in a console, be it one without a window.
func HasConsole() bool {
	var pid uint32
	n, _, _ := getConsoleProcessList.Call(uintptr(unsafe.Pointer(&pid)), 1)
	return n > 0
}

// SharesConsole says that pid runs in the console of this process.
func SharesConsole(pid int) bool {
	pids := make([]uint32, 64)
	for {
		n, _, _ := getConsoleProcessList.Call(uintptr(unsafe.Pointer(&pids[0])), uintptr(len(pids)))
		if int(n) > len(pids) {
			pids = make([]uint32, 2*n)
			continue
		}
		for _, p := range pids[:n] {
			if int(p) == pid {
				return true
			}
		}
		return false
	}
}
