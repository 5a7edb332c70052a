# Evaluates a Homebrew cask for each platform as Homebrew does, and checks what it would fetch and link against the
# files of the release: ruby cask.rb CASK DIST. Knows only the stanzas that are meant to be used; any other, and what
# Homebrew has deprecated (postflight, verified:), is an error.
require "digest"
require "json"
require "open3"
require_relative "needed"

CAVEATS = [
  "Nothing is changed yet. To put the hook into the assistants:", "vomgr enable",
  "Before you uninstall vomgr, take it out again:", "vomgr uninstall",
].freeze

# A cask as one platform sees it.
class Cask
  SINGLE = %i[version sha256 url name desc homepage caveats].freeze
  SEVERAL = %i[binary manpage bash_completion zsh_completion fish_completion].freeze

  attr_reader :values, :steps, :zapped, :unwatched

  def initialize(system, processor)
    @system, @processor = system, processor
    @values, @steps, @zapped = {}, [], []
  end

  SINGLE.each do |stanza|
    define_method(stanza) do |*given, **options|
      return @values[stanza] if given.empty?
      raise "#{stanza}: options #{options}" unless options.empty?
      raise "#{stanza} is there twice on #{@system} #{@processor}" if @values.key?(stanza)
      @values[stanza] = given.fetch(0)
    end
  end
  SEVERAL.each do |stanza|
    define_method(stanza) { |path| (@values[stanza] ||= []) << path }
  end

  def on_macos = @system == "macos" && yield
  def on_linux = @system == "linux" && yield
  def on_intel = @processor == "intel" && yield
  def on_arm = @processor == "arm" && yield
  def livecheck = yield
  def skip(why) = @unwatched = why
  def postflight_steps = yield
  def run(program, args:, must_succeed:) = @steps << [program, *args, must_succeed]
  def zap(trash:) = @zapped.concat(trash)

  def method_missing(stanza, *) = raise("stanza #{stanza} is not one to use")
  def respond_to_missing?(*) = false
end

def check(cask, token, dist, system, processor)
  v = cask.values
  file = File.basename(v.fetch(:url))
  version = v.fetch(:version)
  want = "https://github.com/vexyart/vomgr/releases/download/v#{version}/"
  raise "url #{v[:url]}, want it below #{want}" unless v[:url] == want + file
  os = {"macos" => "darwin", "linux" => "linux"}.fetch(system)
  arch = {"intel" => "amd64", "arm" => "arm64"}.fetch(processor)
  raise "#{file} is not for #{os} #{arch}" unless file == "vomgr_#{version}_#{os}_#{arch}.tar.gz"
  path = File.join(dist, file)
  raise "#{file}: sha256" unless digest(path) == v.fetch(:sha256)

  linked = Cask::SEVERAL.flat_map { |s| v.fetch(s) }
  missing = linked - held(path)
  raise "#{file} lacks #{missing}" unless missing.empty?
  raise "binary #{v[:binary]}" unless v[:binary] == ["vomgr"]
  raise "man pages #{v[:manpage]}" unless v[:manpage].sort == %w[manpages/vomgr-settings.5.gz manpages/vomgr.1.gz]

  quarantine = [["/usr/bin/xattr", "-dr", "com.apple.quarantine", "{{staged_path}}/vomgr", false]]
  raise "steps #{cask.steps} on #{system}" unless cask.steps == (system == "macos" ? quarantine : [])
  { bash_completion: "completions/vomgr.bash", zsh_completion: "completions/_vomgr", fish_completion: "completions/vomgr.fish" }.each do |stanza, want|
    raise "#{stanza} #{v[stanza]}" unless v[stanza] == [want]
  end
  raise "homepage #{v[:homepage]}" unless v[:homepage] == "https://github.com/vexyart/vomgr"
  raise "livecheck would look for versions by itself" unless cask.unwatched
  raise "zap #{cask.zapped}" unless cask.zapped == ["~/.vexy-overnight"]
  raise "caveats: #{v[:caveats]}" unless v.fetch(:caveats).lines.map(&:strip) == CAVEATS
  raise "token #{token}, name #{v[:name]}" unless token == "vomgr" && v[:name] == "vomgr"
  raise "desc: #{v[:desc]}" if v.fetch(:desc).length > 80 || v[:desc].match?(/\A(a|an|the) |\.\z|vomgr/i)
  "cask, #{system} #{processor}: #{file}, links #{linked.join(" ")}"
end

# held ARCHIVE: the names in it, read once.
def held(path)
  (@held ||= {})[path] ||= begin
    listed, status = Open3.capture2("tar", "tzf", path)
    raise "#{path}: not read" unless status.success?
    listed.lines.map(&:chomp)
  end
end

def digest(path) = (@digests ||= {})[path] ||= Digest::SHA256.file(path).hexdigest

# evaluate TEXT DIST: what was checked, for four platforms.
def evaluate(text, dist)
  %w[macos linux].product(%w[intel arm]).map do |system, processor|
    cask, token = Cask.new(system, processor), nil
    top = Object.new
    top.define_singleton_method(:cask) { |name, &body| token = name; cask.instance_eval(&body) }
    top.instance_eval(text)
    check(cask, token, dist, system, processor)
  end
end

path, dist = ARGV
text = File.read(path)
puts evaluate(text, dist)
needed(text) { |less| evaluate(less, dist) }
puts "cask: nothing of it may be missing"
