// Whether a node's certificate signing request may go to the helper (design, section 8: CSR). The parts of a
// request are read in request/, which names are denied is deny-list.ts's matter.

import type { DenyList } from './deny-list.js';
import { CsrError, quoted } from './request/csr-error.js';
import { checkExtensions } from './request/extensions.js';
import { readKey } from './request/key.js';
import { pemContent } from './request/pem.js';
import { checkSignature } from './request/signature.js';
import { asMalformed, readRequest } from './request/structure.js';
import { checkCommonName } from './request/subject.js';

/** No request of a node comes near it; it bounds what is read, bytes. */
const largest = 64 * 1024;

/** What an accepted request asks for. */
export interface AcceptedCsr {
  /** "RSA 2048", "EC P-256", "ed25519". */
  readonly key: string;
  /** The key in the request, SPKI; what the node says of its key beside it is not to be trusted. */
  readonly publicKeyPem: string;
  /** Subject alternative names, as they were written. */
  readonly dnsNames: readonly string[];
}

/**
 * Checks a request against all rules: its form, key and signature, then its names.
 *
 * @param csrPem as the node gave it
 * @param identity whom the request must be for
 * @throws CsrError, whose `reason` is CSR_DENIED where a name is on the deny list, else CSR_INVALID
 */
export function checkCsr(csrPem: string, identity: string, denyList: DenyList): AcceptedCsr {
  const size = Buffer.byteLength(csrPem);
  if (size > largest)
    throw new CsrError('TOO_LARGE', `the request has ${size} bytes; at most ${largest} are read`);
  const request = readRequest(pemContent(csrPem));
  const requestKey = readKey(request.publicKey);
  checkSignature(request, requestKey);
  checkCommonName(request.subject, identity);
  const dnsNames = asMalformed(() => checkExtensions(request.attributes));
  for (const name of [identity, ...dnsNames]) checkDenied(name, denyList);
  return {
    key: requestKey.description,
    publicKeyPem: requestKey.key.export({ type: 'spki', format: 'pem' }).toString(),
    dnsNames,
  };
}

/** A name is looked for as it is, and as those who compare names without case and last dot see it. */
function checkDenied(name: string, denyList: DenyList): void {
  const pattern = denyList.match(name) ?? denyList.match(name.toLowerCase().replace(/\.$/, ''));
  if (pattern === undefined) return;
  throw new CsrError(
    'DENIED',
    `the name ${quoted(name)} is denied: it matches ${quoted(pattern)} of the deny list`,
  );
}
