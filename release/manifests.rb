# Checks the manifests of Scoop, winget and AUR against the files of the release: ruby manifests.rb DIST VERSION.
# Every address must be one the release will have, with the hash of the file that will be there.
require "digest"
require "json"
require "open3"
require "yaml"

DIST, VERSION = ARGV
BASE = "https://github.com/vexyart/vomgr/releases/download/v#{VERSION}/".freeze

def asset(address, hash, name)
  raise "address #{address}, want #{BASE}#{name}" unless address == BASE + name
  raise "#{name}: hash #{hash}" unless Digest::SHA256.file(File.join(DIST, name)).hexdigest == hash.downcase
  name
end

def holds(name, program)
  held, status = Open3.capture2("unzip", "-Z1", File.join(DIST, name))
  raise "#{name} lacks #{program}" unless status.success? && held.lines.map(&:chomp).include?(program)
end

def scoop
  m = JSON.parse(File.read(File.join(DIST, "scoop/bucket/vomgr.json")))
  raise "scoop: version #{m["version"]}" unless m["version"] == VERSION
  raise "scoop: architectures" unless m["architecture"].keys.sort == %w[64bit arm64]
  m["architecture"].each do |arch, a|
    name = asset(a["url"], a["hash"], "vomgr_#{VERSION}_windows_#{{"64bit" => "amd64", "arm64" => "arm64"}[arch]}.zip")
    a["bin"].each { |program| holds(name, program) }
  end
  raise "scoop: nothing renews the programs" unless m["post_install"].join.include?('vomgr.exe" install')
  puts "scoop: both addresses, hashes and programs are right"
end

def winget
  docs = Dir[File.join(DIST, "winget/manifests/v/vexyart/vomgr", VERSION, "*.yaml")].to_h do |path|
    # The specification has dates in quotes; nothing but plain values.
    doc = YAML.safe_load(File.read(path))
    raise "#{path}: #{doc["PackageIdentifier"]} #{doc["PackageVersion"]}" unless doc["PackageIdentifier"] == "vexyart.vomgr" && doc["PackageVersion"] == VERSION
    [doc["ManifestType"], doc]
  end
  raise "winget: #{docs.keys}" unless docs.keys.sort == %w[defaultLocale installer version]
  installers = docs["installer"]["Installers"]
  raise "winget: architectures" unless installers.map { |i| i["Architecture"] }.sort == %w[arm64 x64]
  installers.each do |i|
    name = asset(i["InstallerUrl"], i["InstallerSha256"], "vomgr_#{VERSION}_windows_#{{"x64" => "amd64", "arm64" => "arm64"}[i["Architecture"]]}.zip")
    i["NestedInstallerFiles"].each { |f| holds(name, f["RelativeFilePath"]) }
  end
  %w[Publisher PackageName License ShortDescription].each { |k| raise "winget: no #{k}" if docs["defaultLocale"][k].to_s.empty? }
  puts "winget: three manifests; both addresses, hashes and programs are right"
end

# A PKGBUILD is a shell script: bash reads it, as makepkg does.
def aur
  build = File.join(DIST, "aur/vomgr-bin.pkgbuild")
  {"x86_64" => "amd64", "aarch64" => "arm64"}.each do |arch, name|
    script = "source '#{build}'; printf '%s\\n' \"${source_#{arch}[0]#*::}\" \"${sha256sums_#{arch}[0]}\" \"$pkgname $pkgver\"; declare -F package"
    said, status = Open3.capture2("bash", "-euc", script)
    raise "aur: bash does not read it" unless status.success?
    address, hash, who = said.lines.map(&:chomp)
    asset(address, hash, "vomgr_#{VERSION}_linux_#{name}.tar.gz")
    raise "aur: #{who}" unless who == "vomgr-bin #{VERSION}"
    described = File.read(File.join(DIST, "aur/vomgr-bin.srcinfo"))
    raise "aur: .SRCINFO differs for #{arch}" unless described.include?("source_#{arch} = #{address}") && described.include?("sha256sums_#{arch} = #{hash}")
  end
  puts "aur: both addresses and hashes are right; .SRCINFO says the same"
end

scoop
winget
aur
