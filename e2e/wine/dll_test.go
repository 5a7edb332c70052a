package main

import (
	"bytes"
	"debug/pe"
	"encoding/binary"
	"testing"
)

// TestForwarder reads the library back by addresses, as a loader does.
func TestForwarder(t *testing.T) {
	dll := forwarder("one.dll", "Two", "three.Four")
	if len(dll) != 2*fileUnit {
		t.Errorf("%d bytes", len(dll))
	}
	f, err := pe.NewFile(bytes.NewReader(dll))
	if err != nil {
		t.Fatal(err)
	}
	header, ok := f.OptionalHeader.(*pe.OptionalHeader64)
	if !ok || f.Characteristics&pe.IMAGE_FILE_DLL == 0 || len(f.Sections) != 1 {
		t.Fatalf("no 64-bit library of one section: %+v", f.FileHeader)
	}
	data, err := f.Sections[0].Data()
	if err != nil {
		t.Fatal(err)
	}
	at := func(rva uint32) []byte { return data[rva-f.Sections[0].VirtualAddress:] }
	number := func(rva uint32) uint32 { return binary.LittleEndian.Uint32(at(rva)) }
	text := func(rva uint32) string {
		s, _, _ := bytes.Cut(at(rva), []byte{0})
		return string(s)
	}
	dir := header.DataDirectory[pe.IMAGE_DIRECTORY_ENTRY_EXPORT]
	var e exports
	if _, err := binary.Decode(at(dir.VirtualAddress), binary.LittleEndian, &e); err != nil {
		t.Fatal(err)
	}
	target := number(e.FunctionTable)
	if e.Functions != 1 || e.Names != 1 || text(e.Name) != "one.dll" || text(number(e.NameTable)) != "Two" || text(target) != "three.Four" {
		t.Errorf("%+v: %s exports %s, which is %s", e, text(e.Name), text(number(e.NameTable)), text(target))
	}
	if ordinal := binary.LittleEndian.Uint16(at(e.OrdinalTable)); ordinal != 0 {
		t.Errorf("ordinal %d", ordinal)
	}
	if target < dir.VirtualAddress || target >= dir.VirtualAddress+dir.Size {
		t.Error("the loader would take the text for code: it is outside the export directory")
	}
	moved := header.DataDirectory[pe.IMAGE_DIRECTORY_ENTRY_BASERELOC]
	if number(moved.VirtualAddress) != page || number(moved.VirtualAddress+4) != moved.Size {
		t.Errorf("relocations: %v", at(moved.VirtualAddress))
	}
}
