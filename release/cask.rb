# Evaluates a Homebrew cask for each platform as Homebrew does, and checks what it would fetch and link against the
# files of the release: ruby cask.rb CASK DIST. Knows only the stanzas that are meant to be used; any other, and what
# Homebrew has deprecated (postflight, verified:), is an error.
require "digest"
require "json"
require "open3"

# A cask as one platform sees it.
class Cask
  SINGLE = %i[version sha256 url name desc homepage caveats].freeze
  SEVERAL = %i[binary manpage bash_completion zsh_completion fish_completion].freeze

  attr_reader :values, :steps, :zapped

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
  def skip(_why) = nil
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
  raise "#{file}: sha256" unless Digest::SHA256.file(path).hexdigest == v.fetch(:sha256)

  held, status = Open3.capture2("tar", "tzf", path)
  raise "#{file}: not read" unless status.success?
  linked = Cask::SEVERAL.flat_map { |s| v.fetch(s) }
  missing = linked - held.lines.map(&:chomp)
  raise "#{file} lacks #{missing}" unless missing.empty?
  raise "binary #{v[:binary]}" unless v[:binary] == ["vomgr"]
  raise "man pages #{v[:manpage]}" unless v[:manpage].sort == %w[manpages/vomgr-settings.5.gz manpages/vomgr.1.gz]

  quarantine = [["/usr/bin/xattr", "-dr", "com.apple.quarantine", "{{staged_path}}/vomgr", false]]
  raise "steps #{cask.steps} on #{system}" unless cask.steps == (system == "macos" ? quarantine : [])
  raise "zap #{cask.zapped}" unless cask.zapped == ["~/.vexy-overnight"]
  raise "caveats" unless v.fetch(:caveats).include?("vomgr enable") && v[:caveats].include?("vomgr uninstall")
  raise "token #{token}, name #{v[:name]}" unless token == "vomgr" && v[:name] == "vomgr"
  raise "desc: #{v[:desc]}" if v.fetch(:desc).length > 80 || v[:desc].match?(/\A(a|an|the) |\.\z|vomgr/i)
  puts "cask, #{system} #{processor}: #{file}, links #{linked.join(" ")}"
end

path, dist = ARGV
%w[macos linux].product(%w[intel arm]).each do |system, processor|
  cask, token = Cask.new(system, processor), nil
  top = Object.new
  top.define_singleton_method(:cask) { |name, &body| token = name; cask.instance_eval(&body) }
  top.instance_eval(File.read(path), path)
  check(cask, token, dist, system, processor)
end
