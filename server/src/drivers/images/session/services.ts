import type { BuildContext } from '../context/context.ts';
import type { RegistryCredential } from '../images.ts';
import { credentialFor } from '../references.ts';
import { fileSync, fileSyncMethod } from './file-sync.ts';
import { GrpcError, grpcStatus, unary } from './grpc.ts';
import { decodeMessage, encodeMessage, textField } from './protobuf.ts';
import type { GrpcMethods } from './session.ts';

/** Inputs that a build may request. */
export interface BuildSupplies {
  context: BuildContext;
  dockerfile: string;
  secrets: Record<string, string | Buffer>;
  credentials: RegistryCredential[];
}

/** The engine's name of the only file in the folder `dockerfile`. */
export const dockerfileName = 'Dockerfile';

export const servicesFor = ({ context, dockerfile, secrets, credentials }: BuildSupplies): GrpcMethods => ({
  [fileSyncMethod]: fileSync((name, paths) => {
    if (name === 'dockerfile') return onlyFile(dockerfileName, dockerfile);
    // The engine asks for this file alone to apply it. We apply it ourselves, so it gets none.
    if (name === 'context') return paths.length === 1 && paths[0] === '.dockerignore' ? nothing : context;
    return undefined;
  }),
  '/moby.buildkit.secrets.v1.Secrets/GetSecret': unary((message) => {
    const id = textField(decodeMessage(message), 1);
    if (!Object.hasOwn(secrets, id)) throw new GrpcError(grpcStatus.notFound, `there is no secret ${id}`);
    return encodeMessage([[1, secrets[id]!]]);
  }),
  // An empty response means anonymous access.
  '/moby.filesync.v1.Auth/Credentials': unary((message) => {
    const credential = credentialFor(textField(decodeMessage(message), 1), credentials);
    return encodeMessage(
      credential
        ? [
            [1, credential.username],
            [2, credential.password],
          ]
        : [],
    );
  }),
});

const nothing: BuildContext = { async *entries() {}, async *content() {} };

function onlyFile(path: string, text: string): BuildContext {
  const content = Buffer.from(text);
  const modifiedNs = BigInt(Date.now()) * 1_000_000n;
  const entry = {
    path,
    type: 'file',
    mode: 0o644,
    size: content.length,
    modifiedNs,
    target: '',
    identity: '',
  } as const;
  return {
    async *entries() {
      yield entry;
    },
    async *content() {
      yield content;
    },
  };
}
