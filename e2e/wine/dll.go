// Command wine writes bcryptprimitives.dll, which Go's programs need and Wine has from 8.13 on only: go run ./e2e/wine FILE.
//
// Go takes random bytes from its ProcessPrng (Go 1.22 and later). The library written here holds no code: that export
// leads to SystemFunction036 of advapi32.dll, also known as RtlGenRandom. The format is Microsoft's "PE Format".
package main

import (
	"bytes"
	"debug/pe"
	"encoding/binary"
	"fmt"
	"os"

	"github.com/vexyart/vomgr/internal/atomicfile"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: wine FILE")
		os.Exit(2)
	}
	dll := forwarder("bcryptprimitives.dll", "ProcessPrng", "advapi32.SystemFunction036")
	if err := atomicfile.Write(os.Args[1], dll, 0o600); err != nil {
		fmt.Fprintln(os.Stderr, "wine:", err)
		os.Exit(1)
	}
}

// Where things stand: the headers in the first 512 bytes of the file, the one section in the next; in memory each has a
// page of its own.
const (
	fileUnit   = 0x200
	page       = 0x1000
	newHeader  = 0x40 // behind the header for DOS
	directory  = 40   // bytes of the export directory table
	relocation = 12   // bytes of a block with two entries
)

// exports is the export directory table. Its addresses count from where the library is loaded.
type exports struct {
	Flags, Time                  uint32
	Major, Minor                 uint16
	Name, Base, Functions, Names uint32
	FunctionTable, NameTable     uint32
	OrdinalTable                 uint32
}

// forwarder is a 64-bit library called name that exports one function, which is another library's: LIBRARY.FUNCTION.
// name and the two functions must fit into 400 bytes.
func forwarder(name, function, leadsTo string) []byte {
	data, texts := exported(name, function, leadsTo)
	header := pe.OptionalHeader64{
		Magic: 0x20b, SizeOfInitializedData: fileUnit, ImageBase: 0x180000000, SectionAlignment: page, FileAlignment: fileUnit,
		MajorOperatingSystemVersion: 6, MajorSubsystemVersion: 6, SizeOfImage: 2 * page, SizeOfHeaders: fileUnit,
		Subsystem:          pe.IMAGE_SUBSYSTEM_WINDOWS_CUI,
		DllCharacteristics: pe.IMAGE_DLLCHARACTERISTICS_DYNAMIC_BASE | pe.IMAGE_DLLCHARACTERISTICS_NX_COMPAT,
		SizeOfStackReserve: 1 << 20, SizeOfStackCommit: page, SizeOfHeapReserve: 1 << 20, SizeOfHeapCommit: page,
		NumberOfRvaAndSizes: 16,
	}
	// The loader takes an address within the export directory for a text that names another library's function.
	header.DataDirectory[pe.IMAGE_DIRECTORY_ENTRY_EXPORT] = pe.DataDirectory{VirtualAddress: page, Size: uint32(texts)}
	header.DataDirectory[pe.IMAGE_DIRECTORY_ENTRY_BASERELOC] = pe.DataDirectory{VirtualAddress: page + uint32(texts), Size: relocation}
	var out bytes.Buffer
	put := func(values ...any) {
		for _, v := range values {
			_ = binary.Write(&out, binary.LittleEndian, v) // into memory: never fails
		}
	}
	dos := make([]byte, newHeader)
	copy(dos, "MZ")
	dos[newHeader-4] = newHeader
	put(dos, []byte("PE\x00\x00"), pe.FileHeader{
		Machine: pe.IMAGE_FILE_MACHINE_AMD64, NumberOfSections: 1, SizeOfOptionalHeader: uint16(binary.Size(header)),
		Characteristics: pe.IMAGE_FILE_EXECUTABLE_IMAGE | pe.IMAGE_FILE_LARGE_ADDRESS_AWARE | pe.IMAGE_FILE_DLL,
	}, header, pe.SectionHeader32{
		Name: [8]uint8{'.', 'e', 'd', 'a', 't', 'a'}, VirtualSize: uint32(len(data)), VirtualAddress: page,
		SizeOfRawData: fileUnit, PointerToRawData: fileUnit, Characteristics: pe.IMAGE_SCN_CNT_INITIALIZED_DATA | pe.IMAGE_SCN_MEM_READ,
	})
	put(make([]byte, fileUnit-out.Len()), data, make([]byte, fileUnit-len(data)))
	return out.Bytes()
}

// exported is what the section holds: the export directory, its three tables of one entry, its texts, which end at
// texts, and a block of relocations that relocates nothing, without which a library is loaded at its own address only.
func exported(name, function, leadsTo string) (data []byte, texts int) {
	const tables = page + directory
	at := uint32(tables + 4 + 4 + 4) // an address, a name, an ordinal of two bytes and as many to fill up
	place := func(text string) (rva uint32) {
		rva = at
		at += uint32(len(text)) + 1
		return rva
	}
	names := [3]uint32{place(name), place(function), place(leadsTo)}
	var out bytes.Buffer
	for _, v := range []any{
		exports{Name: names[0], Base: 1, Functions: 1, Names: 1, FunctionTable: tables, NameTable: tables + 4, OrdinalTable: tables + 8},
		names[2], names[1], uint32(0), []byte(name + "\x00" + function + "\x00" + leadsTo + "\x00"),
	} {
		_ = binary.Write(&out, binary.LittleEndian, v) // into memory: never fails
	}
	out.Write(make([]byte, (4-out.Len()%4)%4))
	texts = out.Len()
	_ = binary.Write(&out, binary.LittleEndian, [3]uint32{page, relocation, 0})
	return out.Bytes(), texts
}
