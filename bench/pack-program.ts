// Writes `tar | zstd | age` of a folder to a file, as backups do. Prints its peak memory in bytes.
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { decodeRecipient } from '../server/src/lib/archive/age-keys.ts';
import { folderEntries } from '../server/src/lib/archive/folder-entries.ts';
import { packEntries } from '../server/src/lib/archive/pack.ts';

const [folder = '', file = '', recipient = ''] = process.argv.slice(2);
await pipeline(packEntries(folderEntries(folder, 'data'), [decodeRecipient(recipient)!]), createWriteStream(file));
console.log(process.resourceUsage().maxRSS * 1024);
