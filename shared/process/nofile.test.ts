import { describe, expect, it } from 'vitest';
import { loggerTo } from '../logger.js';
import { openFilesLimit, warnOfFewFiles } from './nofile.js';

const limits = (soft: string) => `Limit                     Soft Limit           Hard Limit           Units
Max processes             95975                95975                processes
Max open files            ${soft.padEnd(20)} 1048576              files
Max locked memory         8388608              8388608              bytes
`;

describe('openFilesLimit', () => {
  it('reads the soft limit', () => {
    expect(openFilesLimit(limits('1024'))).toBe(1024);
  });

  it('knows that there may be none', () => {
    expect(openFilesLimit(limits('unlimited'))).toBe(Number.POSITIVE_INFINITY);
  });

  it('does not guess', () => {
    expect(openFilesLimit('')).toBeUndefined();
  });
});

describe('warnOfFewFiles', () => {
  function warnings(minimum: number, text: string): string[] {
    const lines: string[] = [];
    const log = loggerTo({ write: (line) => lines.push(line) }, { service: 'x', site: 'lab', level: 'info' });
    warnOfFewFiles(minimum, log, () => text);
    return lines.map((line) => JSON.parse(line).msg);
  }

  it('says what is there, what is needed and where to raise it', () => {
    expect(warnings(2048, limits('1024'))).toEqual([
      expect.stringMatching(/only 1024 .* need 2048: raise nofile/),
    ]);
  });

  it('says nothing where it is enough or unknown', () => {
    expect(warnings(1024, limits('1024'))).toEqual([]);
    expect(warnings(1024, limits('unlimited'))).toEqual([]);
    expect(warnings(1024, '')).toEqual([]);
  });
});
