import { expect, it } from 'vitest';
import { listeningSockets } from './listening-sockets.ts';

const table = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:0BB8 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 41 1 0000000000000000 100
   1: 00000000:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 42 1 0000000000000000 100
   2: 0100007F:0BB8 0100007F:C350 01 00000000:00000000 00:00000000 00000000  1000        0 43 1 0000000000000000 20
`;
const table6 = `  sl  local_address                         remote_address                        st
   0: 00000000000000000000000000000000:0050 00000000000000000000000000000000:0000 0A 0:0 00:0 0 0 0 51 1
   1: 00000000000000000000000001000000:0051 00000000000000000000000000000000:0000 0A 0:0 00:0 0 0 0 52 1
   2: 0000000000000000FFFF00000100007F:0052 00000000000000000000000000000000:0000 0A 0:0 00:0 0 0 0 53 1
`;

it('reads the listening sockets of both address families', () => {
  expect(listeningSockets(table + table6)).toEqual([
    { address: '127.0.0.1', port: 3000, uid: 1000, inode: '41' },
    { address: '0.0.0.0', port: 8080, uid: 0, inode: '42' },
    { address: '::', port: 80, uid: 0, inode: '51' },
    { address: '::1', port: 81, uid: 0, inode: '52' },
    { address: '127.0.0.1', port: 82, uid: 0, inode: '53' },
  ]);
  expect(listeningSockets('nonsense\n\n 0: x:y z 0A')).toEqual([]);
});
