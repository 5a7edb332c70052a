# Checks what actionlint does not know about the workflows: ruby workflows.rb FOLDER. Least permissions, secrets in one
# job alone, a release by a tag alone and behind its rehearsal, known vulnerabilities looked for.
require "yaml"
require_relative "needed"

def commands(job) = job.fetch("steps").map { |s| s["run"].to_s }

# Everything a job of any workflow has to keep.
def sound(file, name, job)
  at = "#{file}, job #{name}"
  raise "#{at}: no time limit" unless job["timeout-minutes"].to_i.between?(1, 90)
  raise "#{at}: no permissions of its own" unless job["permissions"].is_a?(Hash)
  writes = job["permissions"].select { |_, v| v != "read" }.keys.sort
  release = file == "release.yml" && name == "release"
  raise "#{at}: may write #{writes}" unless writes == (release ? %w[attestations contents id-token] : [])
  raise "#{at}: secrets" if job.to_s.include?("secrets.") && !release
  steps = job.fetch("steps")
  raise "#{at}: an action without a hash" unless steps.filter_map { |s| s["uses"] }.all? { |u| u.match?(/@\h{40}\z/) }
  steps.select { |s| s["uses"].to_s.start_with?("actions/checkout@") }.each do |s|
    raise "#{at}: the checkout leaves its token behind" unless s.dig("with", "persist-credentials") == false
  end
  # What root leaves in the person's cache folders, the steps after it could not write to.
  *before, _last = commands(job).reject(&:empty?)
  raise "#{at}: a step follows what ran as root" if before.any? { |c| c.match?(/sudo .*PATH/) }
end

def release(flow)
  raise "release.yml: starts by #{flow[true]}" unless flow[true] == {"push" => {"tags" => ["v*"]}}
  raise "release.yml: two at a time" unless flow["concurrency"] == {"group" => "release"}
  jobs = flow["jobs"]
  raise "release.yml: jobs #{jobs.keys}" unless jobs.keys == %w[rehearsal vulnerabilities release published verified]
  job = jobs["release"]
  raise "release.yml: signs before the rehearsal holds" unless job["needs"].sort == %w[rehearsal vulnerabilities]
  raise "release.yml: secrets outside their environment" unless job["environment"] == "release"
  raise "release.yml: what was published is not looked at" unless jobs["published"]["needs"] == "release"
  raise "release.yml: docs/verify.md is not followed" unless jobs["verified"]["needs"] == "release" && commands(jobs["verified"]).any? { |c| c.include?("release/commands docs/verify.md") }
  raise "release.yml: no whole rehearsal" unless commands(jobs["rehearsal"]).any? { |c| c.include?("release/rehearse --all") }
  all = commands(job).join("\n")
  guard, go = all.index('release/guard "$TAG"'), all.index("goreleaser release ")
  raise "release.yml: no guard before goreleaser" unless guard && go && guard < go
  raise "release.yml: no attestation" unless job["steps"].any? { |s| s["uses"].to_s.start_with?("actions/attest@") && s["with"] == {"subject-checksums" => "dist/checksums.txt"} }
  checkout = job["steps"].find { |s| s["uses"].to_s.start_with?("actions/checkout@") }
  raise "release.yml: without main the guard refuses" unless checkout.dig("with", "fetch-depth") == 0
  setup = job["steps"].find { |s| s["uses"].to_s.start_with?("actions/setup-go@") }
  raise "release.yml: a cache of others" unless setup.dig("with", "cache") == false
end

def check(flows)
  raise "workflows: #{flows.keys}" unless flows.keys.sort == %w[ci.yml daily.yml release.yml]
  flows.each do |file, flow|
    raise "#{file}: permissions for all" unless flow["permissions"] == {}
    raise "#{file}: what belongs to a rehearsal" if flow.to_s.match?(/VOMGR_REHEARSAL|COSIGN_KEY|COSIGN_SIGNING_CONFIG|\w_GIT_URL/)
    flow.fetch("jobs").each { |name, job| sound(file, name, job) }
    raise "#{file}: no govulncheck" unless flow["jobs"].values.any? { |j| commands(j).any? { |c| c.match?(/govulncheck\S*:\$PATH govulncheck \.\/\.\.\./) } }
  end
  newest = flows["daily.yml"]["jobs"]["assistants"]["steps"].find { |s| s["run"] == "e2e/run" }
  raise "daily.yml: not the newest assistants" unless newest && newest["env"] == {"VOMGR_E2E_LATEST" => 1}
  release(flows["release.yml"])
end

flows = Dir[File.join(ARGV.fetch(0), "*.yml")].to_h { |path| [File.basename(path), YAML.safe_load(File.read(path))] }
check(flows)

# That these checks would notice.
at = ["release.yml"]
[
  at + ["permissions"], at + ["concurrency"], at + %w[jobs release needs], at + %w[jobs release environment],
  at + %w[jobs release timeout-minutes], at + %w[jobs published needs], at + %w[jobs verified needs], at + %w[jobs rehearsal permissions],
  at + %w[jobs vulnerabilities], ["ci.yml", "jobs", "vulnerabilities"], ["daily.yml", "jobs", "vulnerabilities"],
].each { |path| must_raise(path.join(".")) { check(without(flows, path)) } }
{
  at + [true] => {"push" => {"branches" => ["main"]}},
  at + %w[jobs release permissions packages] => "write",
  at + %w[jobs published env SECRET] => "${{ secrets.GPG_PRIVATE_KEY }}",
  at + %w[env] => {"VOMGR_REHEARSAL" => "1"},
  ["ci.yml", "jobs", "test", "permissions", "contents"] => "write",
}.each do |(*above, key), value|
  changed = without(flows, [:none])
  above.reduce(changed) { |inner, k| inner[k] }[key] = value
  must_raise("#{(above + [key]).join(".")} = #{value}") { check(changed) }
end
puts "workflows: least permissions, secrets in one job, released by a tag behind its rehearsal"
