// A certificate signing request that is refused, and by which rule.

/** Which rule was broken: stable names, so that a refusal can be told from another one. */
export type CsrFault =
  | 'TOO_LARGE'
  /** Not exactly one PEM block of a certificate request. */
  | 'PEM'
  /** What the block holds is no certificate request in DER. */
  | 'MALFORMED'
  /** Something follows the PEM block, or the request in it. */
  | 'TRAILING_DATA'
  /** The key is of a kind or size that is not accepted. */
  | 'KEY'
  /** The signature algorithm is weak, unknown, or does not go with the key. */
  | 'SIGNATURE_ALGORITHM'
  | 'SIGNATURE'
  /** Not exactly one common name. */
  | 'COMMON_NAME_COUNT'
  /** The common name is not the node's identity. */
  | 'COMMON_NAME'
  /** Extensions are requested more than once, or elsewhere than in the PKCS#9 attribute. */
  | 'EXTENSION_ATTRIBUTE'
  | 'DUPLICATE_EXTENSION'
  /** An extension asks for powers that no node has a use for, such as those of a CA. */
  | 'EXTENSION'
  /** A subject alternative name is of another type than DNS. */
  | 'NAME_TYPE'
  /** A subject alternative name is no host name. */
  | 'NAME'
  /** A name matches the deny list. */
  | 'DENIED';

/** The request is not accepted. The message says what is wrong, with names escaped and shortened. */
export class CsrError extends Error {
  override readonly name = 'CsrError';
  readonly fault: CsrFault;

  constructor(fault: CsrFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.fault = fault;
  }

  /** The reason of the run that fails by it (design, section 6). */
  get reason(): 'CSR_INVALID' | 'CSR_DENIED' {
    return this.fault === 'DENIED' ? 'CSR_DENIED' : 'CSR_INVALID';
  }
}

/** Text from a request, made fit for a message: in quotes, in one line, and not too long. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
}
