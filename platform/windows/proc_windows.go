package windows

import (
	"errors"
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Table looks at every process in one pass.
func Table() ([]Info, error) {
	snapshot, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPPROCESS, 0)
	if err != nil {
		return nil, os.NewSyscallError("CreateToolhelp32Snapshot", err)
	}
	defer func() { _ = windows.CloseHandle(snapshot) }()
	var entry windows.ProcessEntry32
	entry.Size = uint32(unsafe.Sizeof(entry))
	var table []Info
	for err = windows.Process32First(snapshot, &entry); err == nil; err = windows.Process32Next(snapshot, &entry) {
		pid := int(entry.ProcessID)
		start, gone := created(pid)
		if gone {
			continue
		}
		table = append(table, Info{Pid: pid, Parent: int(entry.ParentProcessID), Name: windows.UTF16ToString(entry.ExeFile[:]), Start: start})
	}
	if !errors.Is(err, windows.ERROR_NO_MORE_FILES) {
		return nil, os.NewSyscallError("Process32Next", err)
	}
	return table, nil
}

// Read looks at pid. The error is os.ErrNotExist when there is no such process.
func Read(pid int) (Info, error) {
	table, err := Table()
	if err != nil {
		return Info{}, err
	}
	for _, i := range table {
		if i.Pid == pid {
			return i, nil
		}
	}
	return Info{}, os.ErrNotExist
}

// created reads when pid was created; 0 when that may not be read. It is gone when it has ended and only
// somebody's handle keeps it in the table.
func created(pid int) (start uint64, gone bool) {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION|windows.SYNCHRONIZE, false, uint32(pid))
	if err != nil {
		return 0, errors.Is(err, windows.ERROR_INVALID_PARAMETER) && pid != 0
	}
	defer func() { _ = windows.CloseHandle(h) }()
	return creation(h), ended(h)
}

func creation(h windows.Handle) uint64 {
	var created, exited, kernel, user windows.Filetime
	if windows.GetProcessTimes(h, &created, &exited, &kernel, &user) != nil {
		return 0
	}
	return uint64(created.HighDateTime)<<32 | uint64(created.LowDateTime)
}

func ended(h windows.Handle) bool {
	event, err := windows.WaitForSingleObject(h, 0)
	return err == nil && event == windows.WAIT_OBJECT_0
}
