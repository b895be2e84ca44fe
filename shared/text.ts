// Texts of others, made short enough to be kept or sent on.

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * Cuts a text to at most `maxBytes` bytes of UTF-8, never within a character. Lone surrogates, which
 * gRPC cannot send, become U+FFFD.
 */
export function clip(text: string, maxBytes: number): string {
  const room = new Uint8Array(Math.min(maxBytes, text.length * 3));
  const { written } = encoder.encodeInto(text, room);
  return decoder.decode(room.subarray(0, written));
}
