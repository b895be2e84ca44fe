#!/usr/bin/env ruby
# Configures a node by its facts: nodes of a role share a collective, and retired machines are shut down.

require "json"

def parse_input
  request = JSON.parse(STDIN.read)
  # The inventory is a string that holds JSON, so it is decoded once more.
  request["inventory"] = JSON.parse(request["inventory"])
  request
end

def decide(request)
  facts = request["inventory"]["facts"]

  return { "shutdown" => true, "msg" => "this machine is retired" } if facts["retired"]

  if facts["role"] == "unassigned"
    return { "defer" => true, "msg" => "waiting for a role", "retry_after" => "10m" }
  end

  {
    "configuration" => {
      # Out of provisioning mode: without this the node would come back for more.
      "plugin.choria.server.provision" => "false",
      "identity" => request["identity"],
      "collectives" => ["mcollective", facts["role"]].compact.join(","),
      # Every value is a string, also where it means a number.
      "registerinterval" => 300.to_s
    }
  }
end

puts decide(parse_input).to_json
