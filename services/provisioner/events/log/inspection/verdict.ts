// What comes of looking at the file of a log.

export type Verdict =
  | { readonly kind: 'SOUND' }
  /** Another process has it open. */
  | { readonly kind: 'TAKEN' }
  | { readonly kind: 'UNUSABLE'; readonly why: string };
