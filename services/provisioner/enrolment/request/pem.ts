// Takes a certificate request out of its PEM armour. What is in it is for others to read.

import { CsrError, quoted } from './csr-error.js';

/** The second is what older versions of OpenSSL, Java's keytool and Windows' certreq write. */
const labels = ['CERTIFICATE REQUEST', 'NEW CERTIFICATE REQUEST'];

/**
 * The content of the one PEM block in the text. Other text may stand before it, and nothing but white space after.
 *
 * Wherever else in the text a mark of PEM stands, the text is refused, so that no other reader can find another
 * block than this one does.
 *
 * @throws CsrError PEM, TRAILING_DATA
 */
export function pemContent(text: string): Buffer {
  const begins = count(text, '-----BEGIN');
  const ends = count(text, '-----END');
  if (begins === 0) throw new CsrError('PEM', 'there is no PEM block of a certificate request');
  if (begins > 1) throw new CsrError('PEM', `expected exactly one PEM block, got ${begins}`);
  const begin = /^-----BEGIN ([^\r\n]*)-----[ \t]*\r?\n/m.exec(text);
  const label = begin?.[1];
  if (begin === null || label === undefined)
    throw new CsrError('PEM', 'the line that begins the PEM block is malformed');
  if (!labels.includes(label)) {
    throw new CsrError('PEM', `expected a PEM block labelled CERTIFICATE REQUEST, got ${quoted(label)}`);
  }
  const start = begin.index + begin[0].length;
  const end = text.indexOf(`-----END ${label}-----`, start);
  if (ends !== 1 || end === -1)
    throw new CsrError('PEM', 'the PEM block has no end, or another one than it should');
  const after = text.slice(end + `-----END ${label}-----`.length);
  if (!/^[ \t\r\n]*$/.test(after)) throw new CsrError('TRAILING_DATA', 'something follows the PEM block');
  return decode(text.slice(start, end));
}

function decode(body: string): Buffer {
  if (!/^(?:[A-Za-z0-9+/=]*[ \t]*\r?\n)+$/.test(body)) {
    throw new CsrError('PEM', 'the PEM block holds something else than lines of base64');
  }
  const base64 = body.replace(/\s/g, '');
  const content = Buffer.from(base64, 'base64');
  // Node’s decoder skips and stops where it pleases: only what it would write itself is taken.
  if (content.toString('base64') !== base64) throw new CsrError('PEM', 'the PEM block is not valid base64');
  return content;
}

function count(text: string, mark: string): number {
  return text.split(mark).length - 1;
}
