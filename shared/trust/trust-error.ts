// What is said where something that must be trusted is not as it must be.

/** Which rule was broken: stable names, so that a refusal can be told from another one. */
export type TrustFault =
  /** It cannot be read at all: no token, no PEM, no DER, wrong lengths. */
  | 'MALFORMED'
  /** The key is of a kind or size that is not accepted. */
  | 'KEY_UNSUITABLE'
  /** The header names another algorithm than the key allows. */
  | 'ALGORITHM'
  | 'SIGNATURE'
  | 'PURPOSE'
  | 'EXPIRED'
  | 'NOT_YET_VALID'
  /** A claim has the wrong type or value, or one that is required is missing. */
  | 'CLAIM'
  /** The chain of issuers is not as it must be, or there is one where none may be. */
  | 'CHAIN';

/** A token, key or certificate that is not to be trusted. The message holds no secret. */
export class TrustError extends Error {
  override readonly name = 'TrustError';
  readonly fault: TrustFault;

  constructor(fault: TrustFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.fault = fault;
  }
}
