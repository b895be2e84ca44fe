#!/usr/bin/env ruby
# A site's helper in Ruby, written for Choria Provisioner.

require "json"

def parse_input
  input = STDIN.read

  request = JSON.parse(input)
  request["inventory"] = JSON.parse(request["inventory"])

  request
end

def validate!(request, reply)
  if request["identity"].nil? || request["identity"].length == 0
    reply["msg"] = "No identity received in request"
    reply["defer"] = true
    return false
  end

  unless request["inventory"]["facts"]["os"]
    reply["msg"] = "No operating system received in facts"
    reply["defer"] = true
    return false
  end

  true
end

def publish_reply(reply)
  puts reply.to_json
end

def publish_reply!(reply)
  publish_reply(reply)
  exit
end

def set_config!(request, reply)
  inventory = request["inventory"]

  reply["configuration"].merge!(
    "identity" => request["identity"],
    "plugin.choria.server.provision" => "false",
    "plugin.choria.middleware_hosts" => "broker.example.net:4222",
    "collectives" => "mcollective,#{inventory["facts"]["os"]["family"].downcase}",
    "main_collective" => "mcollective",
    "registerinterval" => "300",
    "serial" => inventory["facts"]["serial_number"].to_s,
    "agents" => inventory["agents"].sort.join(","),
    "written_by" => "ruby"
  )
end

reply = {
  "defer" => false,
  "msg" => "",
  "certificate" => "",
  "ca" => "",
  "configuration" => {}
}

begin
  request = parse_input

  reply["msg"] = "Validating"
  unless validate!(request, reply)
    publish_reply!(reply)
  end

  set_config!(request, reply)

  reply["msg"] = "Done"
  publish_reply!(reply)
rescue SystemExit
rescue Exception
  reply["msg"] = "Unexpected failure during provisioning: %s: %s" % [$!.class, $!.to_s]
  reply["defer"] = true
  publish_reply!(reply)
end
