// Writes `tar | zstd | age` of a folder to a file, as backups do. Prints its seconds and its peak memory in bytes. Without a
// folder, it only prints the memory of the program itself.
import { decodeRecipient } from '../server/src/lib/archive/age-keys.ts';
import { Packing } from '../server/src/lib/archive/packing.ts';

const [folder, file = '', recipient = ''] = process.argv.slice(2);
const began = performance.now();
if (folder)
  await Packing.write(file, { recipients: [decodeRecipient(recipient)!] }, async (packing) => {
    await packing.folder({ folder, prefix: 'data', withoutDatabases: true });
  });
console.log((performance.now() - began) / 1000, process.resourceUsage().maxRSS * 1024);
