import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NodeReport, ReportType } from '../../../shared/gen/slipway/discovery/v1/registry.js';
import { oversizedParts, parseReport } from './report.js';

const boot = '0b2b8a3e-8f43-4d2c-9a76-5f6f3c1d2e01';

const sound: NodeReport = {
  eventId: '0b2b8a3e-8f43-4d2c-9a76-5f6f3c1d2e02',
  type: ReportType.STARTUP,
  identity: 'Node1.Example',
  component: '',
  version: '1.2.3',
  time: new Date(),
  bootId: boot.toUpperCase(),
  sequence: 1n,
  port: 7430,
  host: '',
  labels: { rack: 'r1' },
  runId: '',
  configurationDigest: Buffer.of(),
};

function parse(over: Partial<NodeReport>, certificateSha256 = '') {
  return parseReport(NodeReport.encode({ ...sound, ...over }).finish(), certificateSha256);
}

/** The fields that are wrong. */
function wrong(over: Partial<NodeReport>): string[] {
  const parsed = parse(over);
  return parsed.ok ? [] : parsed.violations.map(({ field }) => field);
}

describe('a sound report', () => {
  it('is folded and completed', () => {
    expect(parse({})).toMatchObject({
      ok: true,
      report: {
        type: 'STARTUP',
        identity: 'node1.example',
        bootId: boot,
        component: 'provision_mode_server',
        certificateSha256: '',
        runId: undefined,
        configurationDigest: '',
      },
    });
  });

  it('needs no time, labels, version or component', () => {
    expect(wrong({ time: undefined, labels: {}, version: '', component: '' })).toEqual([]);
  });

  it('may name the run and the digest that the node came up with', () => {
    const runId = '01946b2c-7c1a-7f00-8000-0123456789ab';
    const over = { type: ReportType.PROVISIONED, runId, configurationDigest: Buffer.alloc(32, 0xab) };
    expect(parse(over)).toMatchObject({ report: { runId, configurationDigest: 'ab'.repeat(32) } });
  });

  it('has the hash of the certificate that came with it', () => {
    const certificateSha256 = 'ab'.repeat(32);
    expect(parse({}, certificateSha256)).toMatchObject({ report: { certificateSha256 } });
  });

  it('differs in its digest from any other', () => {
    const digest = (over: Partial<NodeReport>) => {
      const parsed = parse(over);
      return parsed.ok ? parsed.report.digest : '';
    };
    expect(digest({})).toBe(digest({}));
    expect(digest({})).not.toBe(digest({ version: '1.2.4' }));
  });
});

describe('what is wrong is named', () => {
  it.each<[string, Partial<NodeReport>]>([
    ['type', { type: ReportType.UNSPECIFIED }],
    ['type', { type: 77 as ReportType }],
    ['event_id', { eventId: 'x' }],
    ['identity', { identity: '' }],
    ['identity', { identity: 'a'.repeat(254) }],
    ['identity', { identity: 'no spaces' }],
    ['boot_id', { bootId: '' }],
    ['component', { component: 'c'.repeat(129) }],
    ['version', { version: 'line\nbreak' }],
    ['sequence', { sequence: 0n }],
    ['port', { port: 0 }],
    ['port', { port: 65_536 }],
    ['host', { host: 'a b' }],
    ['host', { host: 'h'.repeat(254) }],
    ['labels', { labels: Object.fromEntries([...'abcdefghijklmnopq'].map((key) => [key, ''])) }],
    ['labels.a?b', { labels: { 'a\u001bb': '' } }],
    ['labels.rack', { labels: { rack: 'v'.repeat(256) } }],
    ['run_id', { runId: 'x' }],
    ['configuration_digest', { configurationDigest: Buffer.alloc(31) }],
  ])('%s', (field, over) => {
    expect(wrong(over)).toEqual([field]);
  });

  it('all at once', () => {
    expect(wrong({ identity: '-', port: 0, sequence: 0n })).toEqual(['identity', 'sequence', 'port']);
  });

  it('also where nothing, or too much, came', () => {
    const none = Buffer.of();
    const envelope = { report: Buffer.alloc(16_385), certificate: Buffer.alloc(8193), signature: none };
    expect(oversizedParts(envelope)).toMatchObject([{ field: 'report' }, { field: 'certificate' }]);
    const empty = oversizedParts({ report: none, certificate: none, signature: none });
    expect(empty).toEqual([{ field: 'report', description: 'is empty' }]);
  });
});

it('whatever bytes come, they are refused or taken, and nothing is thrown', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      const parsed = parseReport(bytes, '');
      if (!parsed.ok) expect(parsed.violations.length).toBeGreaterThan(0);
    }),
    { numRuns: 2000 },
  );
});

it('a sound report in which any byte is changed is refused or taken, and nothing is thrown', () => {
  const bytes = Buffer.from(NodeReport.encode(sound).finish());
  const index = fc.integer({ min: 0, max: bytes.length - 1 });
  fc.assert(
    fc.property(index, fc.integer({ min: 0, max: 255 }), (at, value) => {
      const report = Buffer.from(bytes);
      report[at] = value;
      parseReport(report, '');
    }),
    { numRuns: 2000 },
  );
});
