// What helpers of the benchmarks reply: facts are read, as a site's own helper would, and change nothing.

export function reply({ identity, inventory }) {
  const { facts } = JSON.parse(inventory);
  if (facts.fqdn !== identity) throw new Error(`the facts are of ${facts.fqdn}`);
  return {
    configuration: {
      'plugin.choria.server.provision': 'false',
      'plugin.choria.broker_urls': 'nats://broker1.example.net:4222,nats://broker2.example.net:4222',
      'plugin.security.provider': 'choria',
      collectives: 'mcollective,site',
      registerinterval: '300',
      registration: 'file_content',
      classesfile: '/opt/site/classes.txt',
      loglevel: 'info',
    },
  };
}
