// Command winedll writes a bcryptprimitives.dll that Wine before 8.13 lacks and every Go program needs since Go 1.22:
// one function, ProcessPrng, which it takes from advapi32. It is for rehearsals under Wine and is never shipped.
package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
)

const (
	headers = 0x200  // bytes of the headers, and of the one section
	base    = 0x1000 // where the section stands in memory
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: winedll FILE")
		os.Exit(2)
	}
	if err := os.WriteFile(os.Args[1], dll(), 0o644); err != nil {
		fmt.Fprintf(os.Stderr, "winedll: %v\n", err)
		os.Exit(1)
	}
}

// dll is the whole file: the headers, then one section with the table of exports.
func dll() []byte {
	var f bytes.Buffer
	put := func(values ...any) {
		for _, v := range values {
			_ = binary.Write(&f, binary.LittleEndian, v) // a buffer takes all
		}
	}
	table, size := exports()
	dos := make([]byte, 64)
	copy(dos, "MZ")
	binary.LittleEndian.PutUint32(dos[60:], 64)
	put(dos, []byte("PE\x00\x00"))
	put(uint16(0x8664), uint16(1), uint32(0), uint32(0), uint32(0), uint16(240), uint16(0x2022))
	put(uint16(0x20b), uint16(0), uint32(0), uint32(headers), uint32(0), uint32(0), uint32(base))
	put(uint64(0x180000000), uint32(base), uint32(headers), uint16(6), uint16(0), uint16(0), uint16(0), uint16(6), uint16(0), uint32(0))
	put(uint32(2*base), uint32(headers), uint32(0), uint16(3), uint16(0x100))
	put(uint64(1<<20), uint64(1<<12), uint64(1<<20), uint64(1<<12), uint32(0), uint32(16))
	put(uint32(base), uint32(size), make([]byte, 15*8))
	put([]byte(".rdata\x00\x00"), uint32(size), uint32(base), uint32(headers), uint32(headers), make([]byte, 12), uint32(0x40000040))
	return append(append(f.Bytes(), make([]byte, headers-f.Len())...), table...)
}

// exports is the table with the one function. Its address lies inside the table: that makes it a name in another DLL.
func exports() (table []byte, size int) {
	const functions, names, ordinals, text = 40, 44, 48, 52
	file, function, target := "bcryptprimitives.dll\x00", "ProcessPrng\x00", "advapi32.SystemFunction036\x00"
	atFile := base + text
	atFunction := atFile + len(file)
	atTarget := atFunction + len(function)
	var t bytes.Buffer
	for _, v := range []int{0, 0, 0, atFile, 1, 1, 1, base + functions, base + names, base + ordinals, atTarget, atFunction, 0} {
		_ = binary.Write(&t, binary.LittleEndian, uint32(v)) // a buffer takes all
	}
	t.WriteString(file + function + target)
	return append(t.Bytes(), make([]byte, headers-t.Len())...), t.Len()
}
