import type { BuildContext, ContextEntry } from '../context/context.ts';
import type { GrpcCall, GrpcHandler } from './grpc.ts';
import { decodeMessage, encodeEmbedded, encodeMessage, numberField } from './protobuf.ts';

// The engine names a folder. We list all of it; the engine requests the files that it lacks by their index, and ends
// the call.

const kind = { stat: 0, request: 1, data: 2, end: 3 };

export const fileSyncMethod = '/moby.filesync.v1.FileSync/DiffCopy';

/** Serves folders by the engine's names: `context`, `dockerfile`. */
export const fileSync = (folderOf: (name: string, paths: string[]) => BuildContext | undefined): GrpcHandler => {
  return async (call) => {
    const [name = ''] = call.metadata.get('dir-name') ?? [];
    const folder = folderOf(name, call.metadata.get('followpaths') ?? []);
    if (!folder) throw new Error(`the engine asks for an unknown build folder: ${name}`);
    const listed: ContextEntry[] = [];
    const list = sendList(call, folder, listed);
    await Promise.all([list, answer(call, folder, listed, list)]);
  };
};

async function sendList({ send }: GrpcCall, folder: BuildContext, listed: ContextEntry[]): Promise<void> {
  for await (const entry of folder.entries()) {
    listed.push(entry);
    await send(encodeEmbedded(2, statOf(entry)));
  }
  await send(encodeMessage([[1, kind.stat]]));
}

async function answer(
  call: GrpcCall,
  folder: BuildContext,
  listed: ContextEntry[],
  list: Promise<void>,
): Promise<void> {
  for await (const message of call.messages()) {
    const packet = decodeMessage(message);
    const id = numberField(packet, 3);
    if (numberField(packet, 1) === kind.request) await sendContent(call, folder, listed[id], id);
    if (numberField(packet, 1) !== kind.end) continue;
    await list;
    return call.send(encodeMessage([[1, kind.end]]));
  }
}

async function sendContent(
  { send }: GrpcCall,
  folder: BuildContext,
  entry: ContextEntry | undefined,
  id: number,
): Promise<void> {
  if (!entry) throw new Error('the engine asks for a file outside the build context');
  for await (const data of folder.content(entry))
    await send(
      encodeMessage([
        [1, kind.data],
        [3, id],
        [4, data],
      ]),
    );
  await send(
    encodeMessage([
      [1, kind.data],
      [3, id],
    ]),
  );
}

// Go's file type bits; permissions are the usual ones.
const folderBit = 2 ** 31;
const linkBit = 2 ** 27;
const special: [of: number, bit: number][] = [
  [0o4000, 2 ** 23],
  [0o2000, 2 ** 22],
  [0o1000, 2 ** 20],
];

/** Everything is owned by root, as in an image. */
function statOf({ path, type, mode, size, modifiedNs, target }: ContextEntry): Buffer {
  let bits = mode & 0o777;
  for (const [of, bit] of special) if (mode & of) bits += bit;
  if (type === 'folder') bits += folderBit;
  if (type === 'link') bits += linkBit;
  return encodeMessage([
    [1, path],
    [2, bits],
    [5, size],
    [6, modifiedNs],
    [7, target],
  ]);
}
