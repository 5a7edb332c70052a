# What the checks of manifests prove of themselves: that they would notice if any part were missing.

# needed TEXT: the block, given TEXT without one of its lines, must raise; for each line but comments and what ends a block.
def needed(text)
  lines = text.lines
  lines.each_index do |i|
    next if lines[i].match?(/\A\s*(#|end\b|EOS\b|[\])}]|\z)/)
    must_raise(lines[i].strip) { yield (lines[0...i] + lines[i + 1..]).join }
  end
end

# needed_parts DATA: the block, given DATA without one of its keys or entries, must raise; for each, however deep.
def needed_parts(data)
  paths(data).each do |path|
    must_raise(path.join(".")) { yield without(data, path) }
  end
end

def must_raise(what)
  yield
rescue StandardError, SyntaxError
  nil
else
  raise "without this it is accepted as well: #{what}"
end

def paths(data, above = [])
  keys = data.is_a?(Hash) ? data.keys : data.is_a?(Array) ? data.each_index.to_a : []
  keys.flat_map { |k| [above + [k]] + paths(data[k], above + [k]) }
end

def without(data, path)
  copy = Marshal.load(Marshal.dump(data))
  *above, key = path
  inner = above.reduce(copy) { |at, k| at[k] }
  inner.is_a?(Hash) ? inner.delete(key) : inner.delete_at(key)
  copy
end
