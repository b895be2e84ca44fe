import { expect, test } from 'vitest';
import { type AuthContext, certificateName } from './peer-name.js';

function nameOf(subject: unknown): string {
  // Only this is read of what Node tells of a peer's certificate.
  return certificateName({ sslPeerCertificate: { subject } } as unknown as AuthContext);
}

test('a certificate is called by its common name, the first where there are several', () => {
  expect(nameOf({ CN: 'Zoë of operations' })).toBe('Zoë of operations');
  expect(nameOf({ CN: ['ops', 'dev'] })).toBe('ops');
});

test('who shows no certificate, or one without a common name, has no name', () => {
  expect(certificateName({})).toBe('');
  expect(nameOf(undefined)).toBe('');
  expect(nameOf({ O: 'Example' })).toBe('');
  expect(nameOf({ CN: ' ' })).toBe('');
});

test('a name is shortened, and cannot pretend to be more than a name', () => {
  expect(nameOf({ CN: '😀'.repeat(65) })).toBe(`${'😀'.repeat(64)}…`);
  expect(nameOf({ CN: 'a\nb\u001b[2J\u202ec\u2028d' })).toBe('a\\u{a}b\\u{1b}[2J\\u{202e}c\\u{2028}d');
});
