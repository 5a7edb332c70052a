# Checks the manifests of Scoop, winget and AUR against the files of the release: ruby manifests.rb DIST VERSION.
# Every address must be one the release will have, with the hash of the file that will be there, and no part is there
# that is not looked at.
require "digest"
require "json"
require "open3"
require "yaml"
require_relative "needed"

DIST, VERSION = ARGV
HOME = "https://github.com/vexyart/vomgr".freeze
BASE = "#{HOME}/releases/download/v#{VERSION}/".freeze
DESCRIPTION = "Lets coding assistants hand a project to each other".freeze

def digest(name) = (@digests ||= {})[name] ||= Digest::SHA256.file(File.join(DIST, name)).hexdigest

def same(what, got, want)
  raise "#{what}: #{got.inspect}, want #{want.inspect}" unless got == want
end

def asset(address, hash, name)
  same("address", address, BASE + name)
  same("hash of #{name}", hash.downcase, digest(name))
end

def holds(name, program)
  held = (@held ||= {})[name] ||= Open3.capture2("unzip", "-Z1", File.join(DIST, name)).first.lines.map(&:chomp)
  raise "#{name} lacks #{program}" unless held.include?(program)
end

def scoop(m)
  m = m.dup
  same("scoop: architectures", m.fetch("architecture").keys.sort, %w[64bit arm64])
  m.delete("architecture").each do |arch, a|
    name = "vomgr_#{VERSION}_windows_#{{"64bit" => "amd64", "arm64" => "arm64"}[arch]}.zip"
    asset(a["url"], a["hash"], name)
    same("scoop: programs", a["bin"], ["vomgr.exe"])
    holds(name, "vomgr.exe")
  end
  same("scoop", m, {
    "version" => VERSION, "homepage" => HOME, "license" => "MIT", "description" => DESCRIPTION,
    # The programs that the assistants call are copies on Windows; an upgrade renews them.
    "post_install" => ['if (Test-Path "$env:USERPROFILE\.vexy-overnight") { & "$dir\vomgr.exe" install }'],
  })
end

# What the three manifests of winget say besides the installers.
WINGET = {
  "version" => {"DefaultLocale" => "en-US"},
  "installer" => {"InstallerLocale" => "en-US", "InstallerType" => "zip"},
  "defaultLocale" => {
    "PackageLocale" => "en-US", "Publisher" => "vexyart", "PublisherUrl" => "https://github.com/vexyart",
    "PublisherSupportUrl" => "#{HOME}/issues", "PackageName" => "vomgr", "PackageUrl" => HOME, "License" => "MIT",
    "LicenseUrl" => "#{HOME}/blob/v#{VERSION}/LICENSE", "Copyright" => "the vomgr maintainers", "ShortDescription" => DESCRIPTION,
    "Description" => "It puts a hook into Claude Code, Codex or Gemini CLI; when the assistant stops, the hook opens a terminal in which the next one goes on.",
    "Moniker" => "vomgr", "Tags" => %w[cli automation], "ReleaseNotesUrl" => "#{HOME}/releases/tag/v#{VERSION}",
  },
}.freeze

def winget(docs)
  same("winget: manifests", docs.map { |d| d["ManifestType"] }.sort, WINGET.keys.sort)
  docs.each do |doc|
    kind, doc = doc["ManifestType"], doc.dup
    winget_installers(doc) if kind == "installer"
    same("winget: #{kind}", doc, {
      "PackageIdentifier" => "vexyart.vomgr", "PackageVersion" => VERSION, "ManifestType" => kind, "ManifestVersion" => "1.12.0",
    }.merge(WINGET[kind]))
  end
end

def winget_installers(doc)
  raise "winget: day #{doc["ReleaseDate"]}" unless doc.delete("ReleaseDate").match?(/\A20\d\d-\d\d-\d\d\z/)
  installers = doc.delete("Installers")
  same("winget: architectures", installers.map { |i| i["Architecture"] }.sort, %w[arm64 x64])
  installers.each do |i|
    i = i.dup
    name = "vomgr_#{VERSION}_windows_#{{"x64" => "amd64", "arm64" => "arm64"}[i.delete("Architecture")]}.zip"
    asset(i.delete("InstallerUrl"), i.delete("InstallerSha256"), name)
    holds(name, "vomgr.exe")
    same("winget: installer", i, {
      "NestedInstallerType" => "portable", "UpgradeBehavior" => "uninstallPrevious",
      "NestedInstallerFiles" => [{"RelativeFilePath" => "vomgr.exe", "PortableCommandAlias" => "vomgr"}],
    })
  end
end

# What a PKGBUILD sets; it is a shell script, and bash reads it as makepkg does.
READ = <<~'END'.freeze
  eval "$(cat)"
  declare -F package >/dev/null
  for name in pkgname pkgver pkgrel pkgdesc url arch license provides conflicts source_{x86_64,aarch64} sha256sums_{x86_64,aarch64}; do
    declare -n values=$name
    printf '%s=%s\n' "$name" "${values[*]}"
  done
END

def aur(build, described)
  said, status = Open3.capture2("bash", "-euc", READ, stdin_data: build, err: File::NULL)
  raise "aur: bash does not read it" unless status.success?
  v = said.lines.to_h { |l| l.chomp.split("=", 2) }
  lines = ["pkgbase = vomgr-bin", "pkgname = vomgr-bin"]
  {"x86_64" => "amd64", "aarch64" => "arm64"}.each do |arch, name|
    address, hash = v.delete("source_#{arch}").sub(/\A.*::/, ""), v.delete("sha256sums_#{arch}")
    asset(address, hash, "vomgr_#{VERSION}_linux_#{name}.tar.gz")
    lines += ["arch = #{arch}", "source_#{arch} = #{address}", "sha256sums_#{arch} = #{hash}"]
  end
  same("aur", v.merge("arch" => v["arch"].split.sort), {
    "pkgname" => "vomgr-bin", "pkgver" => VERSION, "pkgrel" => "1", "pkgdesc" => DESCRIPTION, "url" => HOME,
    "arch" => %w[aarch64 x86_64], "license" => "MIT", "provides" => "vomgr", "conflicts" => "vomgr",
  })
  lines += %w[pkgver pkgrel pkgdesc url license provides conflicts].map { |k| "#{k} = #{v[k]}" }
  same("aur: .SRCINFO", described.lines.map(&:strip).reject(&:empty?).sort, lines.sort)
end

manifest = JSON.parse(File.read(File.join(DIST, "scoop/bucket/vomgr.json")))
scoop(manifest)
needed_parts(manifest) { |less| scoop(less) }
puts "scoop: both addresses, hashes and programs are right; nothing may be missing"

docs = Dir[File.join(DIST, "winget/manifests/v/vexyart/vomgr", VERSION, "*.yaml")].map { |path| YAML.safe_load(File.read(path)) }
winget(docs)
needed_parts(docs) { |less| winget(less) }
puts "winget: three manifests; both addresses, hashes and programs are right; nothing may be missing"

build, described = %w[pkgbuild srcinfo].map { |kind| File.read(File.join(DIST, "aur/vomgr-bin.#{kind}")) }
aur(build, described)
# What package() installs is seen by what it installs: the step `install`.
needed(build.sub(/^package\(\) \{.*?^\}/m, "package() { true; }")) { |less| aur(less, described) }
needed(described.strip) { |less| aur(build, less) }
puts "aur: both addresses and hashes are right; .SRCINFO says the same; nothing may be missing"
