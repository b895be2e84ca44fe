#!/usr/bin/env perl
# The same as site.rb, step by step, for machines that have no Ruby.

use strict;
use warnings;
use JSON::PP;

my $json = JSON::PP->new->canonical->allow_bignum;

sub parse_input {
    my $input = do { local $/; <STDIN> };

    my $request = $json->decode($input);
    $request->{inventory} = $json->decode($request->{inventory});

    return $request;
}

my $reply = {
    defer         => JSON::PP::false,
    msg           => "",
    certificate   => "",
    ca            => "",
    configuration => {},
};

eval {
    my $request   = parse_input();
    my $inventory = $request->{inventory};

    unless ($inventory->{facts}{os}) {
        $reply->{msg}   = "No operating system received in facts";
        $reply->{defer} = JSON::PP::true;
        return;
    }

    $reply->{configuration} = {
        "identity"                       => $request->{identity},
        "plugin.choria.server.provision" => "false",
        "plugin.choria.middleware_hosts" => "broker.example.net:4222",
        "collectives"                    => "mcollective," . lc $inventory->{facts}{os}{family},
        "main_collective"                => "mcollective",
        "registerinterval"               => "300",
        "serial"                         => "" . ($inventory->{facts}{serial_number} // ""),
        "agents"                         => join(",", sort @{ $inventory->{agents} }),
        "written_by"                     => "perl",
    };
    $reply->{msg} = "Done";
    1;
} or do {
    if ($@) {
        $reply->{msg}   = "Unexpected failure during provisioning: $@";
        $reply->{defer} = JSON::PP::true;
    }
};

print $json->encode($reply), "\n";
