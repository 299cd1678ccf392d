import { describe } from 'vitest';
import { storageContract } from '../../src/drivers/storage/contract.ts';
import { partsIn } from '../../src/drivers/storage/sftp/sftp-rig.ts';
import { sftpStorageKind } from '../../src/drivers/storage/sftp/sftp.ts';
import { testStorageContext } from '../../src/drivers/storage/storage-rig.ts';
import { has } from '../rig/parts.ts';
import { startProftpd } from '../rig/proftpd.ts';

describe.runIf(has('proftpd'))('ProFTPD', () => {
  storageContract(
    'sftp on ProFTPD',
    async () => {
      const proftpd = await startProftpd();
      const { port: sshPort, user: sshUser, password: sftpPassword } = proftpd;
      const values = { sshHost: '127.0.0.1', sshPort, sshUser, sftpPassword };
      const storage = await sftpStorageKind.open(values, testStorageContext());
      return {
        storage,
        leftovers: async () => partsIn(proftpd.folder),
        elsewhere: { kind: 'sftp', values },
        async close() {
          await storage.close();
          await proftpd.stop();
        },
      };
    },
    { bigBytes: 20_000_000, many: 1_010 },
  );
});
