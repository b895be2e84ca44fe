import { logVerbosity, Metadata, setLogVerbosity } from '@grpc/grpc-js';
import { log as libraryLog } from '@grpc/grpc-js/build/src/logging.js';
import { expect, onTestFinished, test } from 'vitest';
import { loggerTo } from '../logger.js';
import { routeLibraryLog } from './library-log.js';

test('what grpc-js traces of the headers of a request shows neither token nor proof', () => {
  const lines: string[] = [];
  routeLibraryLog(
    loggerTo({ write: (line) => lines.push(line) }, { service: 'test', site: 'lab', level: 'debug' }),
  );
  setLogVerbosity(logVerbosity.DEBUG);
  onTestFinished(() => setLogVerbosity(logVerbosity.ERROR));
  const headers = new Metadata();
  headers.set('authorization', 'Bearer hunter2');
  headers.add('authorization', 'x"], hunter2');
  headers.set('slipway-proof', 'hunter2');
  headers.set('slipway-run', 'a-run');
  libraryLog(logVerbosity.DEBUG, `Request to /x/Y received headers ${JSON.stringify(headers.toJSON())}`);
  expect(lines.join()).toContain('a-run');
  expect(lines.join()).not.toContain('hunter2');
});
