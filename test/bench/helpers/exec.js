// Reads what it is told of a node, and gives it the configuration of every node.

import { json } from 'node:stream/consumers';
import { reply } from './reply.js';

process.stdout.write(`${JSON.stringify(reply(await json(process.stdin)))}\n`);
