import type { Server } from '../../server-queries.ts';
import { CopyField } from '../../ui/copy-field.tsx';
import { Card } from '../../ui/page.tsx';

/** Only a plain key is put into a shell command. */
const isPlain = (key: string) => /^[A-Za-z0-9+/=_ -]+$/.test(key);

/** The public key that the server must accept. */
export function AuthorizedKey({ server: { publicKey, user } }: { server: Server }) {
  if (!publicKey) return null;
  return (
    <Card className="grid grid-cols-1 gap-4 p-5">
      <div>
        <h3 className="font-semibold">Authorize this key</h3>
        <p className="mt-1 text-sm text-muted">
          Append this line to <code className="font-mono">~/.ssh/authorized_keys</code> of {user} on the server, then
          test the connection.
        </p>
      </div>
      <CopyField label="Line for authorized_keys" value={publicKey} />
      {isPlain(publicKey) && (
        <CopyField
          label={`Or run this on the server, as ${user}`}
          value={`mkdir -p -m 700 ~/.ssh && echo '${publicKey}' >> ~/.ssh/authorized_keys`}
        />
      )}
    </Card>
  );
}
