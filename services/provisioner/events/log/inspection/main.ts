// Reads a whole log and says on stdout whether it can be used: `main FOLDER SITE`. Started by inspect.ts.

import { judge } from './judge.js';

const [folder = '', site = ''] = process.argv.slice(2);
process.stdout.write(JSON.stringify(await judge(folder, site)));
