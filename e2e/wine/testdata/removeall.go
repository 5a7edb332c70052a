package testing

import "internal/syscall/windows"

// Wine 8 does not know the first way in which os.RemoveAll deletes (FILE_DISPOSITION_INFORMATION_EX) and says so with a
// status that Go does not take for that; the second works. Without this no test could remove its t.TempDir.
func init() { windows.TestDeleteatFallback = true }
