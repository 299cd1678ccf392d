// `npm run stop`: stops the service of your data folder, its edge and its apps.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findNode24 } from './node24.mjs';
import { root } from './paths.mjs';
import { become, fail } from './run.mjs';

const maintenance = join(root, 'server', 'dist', 'maintenance.js');
if (existsSync(maintenance)) become(findNode24(), [maintenance, 'stop']);
else fail(new Error('Mooring was never started from this folder'));
