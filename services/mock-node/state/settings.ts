// server.conf: one `key = value` line per setting, in the order given. What may stand in a setting is checked
// where it comes in (agent/arguments.ts).

export type Settings = ReadonlyMap<string, string>;

const provisionKey = 'plugin.choria.server.provision';
const truths = new Set(['1', 'true', 'yes', 'y', 'on', 't']);

/** @returns the text of server.conf */
export function formatSettings(settings: Settings): string {
  let text = '';
  for (const [key, value] of settings) text += value === '' ? `${key} =\n` : `${key} = ${value}\n`;
  return text;
}

/** Reads server.conf. Empty lines, comments and lines without `=` are passed over; the last of a key wins. */
export function parseSettings(text: string): Settings {
  const settings = new Map<string, string>();
  for (const raw of text.split('\n')) {
    const line = raw.trim();
    const equals = line.indexOf('=');
    if (line.startsWith('#') || equals < 1) continue;
    settings.set(line.slice(0, equals).trim(), line.slice(equals + 1).trim());
  }
  return settings;
}

/**
 * Tells whether a node that starts from these settings is in provisioning mode: what
 * `plugin.choria.server.provision` says, else `otherwise` (the token's `chpd`; design, section 3).
 */
export function enablesProvisioning(settings: Settings, otherwise: boolean): boolean {
  const value = settings.get(provisionKey);
  return value === undefined ? otherwise : truths.has(value.toLowerCase());
}
