import type { Schemas } from '@mooring/client';
import { asSentence } from '../api.ts';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';

type Progress = NonNullable<Schemas['Connection']['certificate']>;

/** What to know about a connection that is not encrypted. Loaded when needed: most people never see it. */
export default function ConnectionMessage({ state }: { state: Progress | 'issued' }) {
  return state === 'issued' ? <Issued /> : <NotEncrypted {...state} />;
}

function NotEncrypted({ domain, url, error }: Progress) {
  return (
    <Notice kind="warn" alert>
      <p className="font-semibold">This connection is not encrypted yet</p>
      {error ? (
        <p className="mt-1">
          The certificate of {domain} was not issued. {asSentence(error.message)} {error.fix} Mooring retries
          automatically.
        </p>
      ) : (
        <p className="mt-1">The certificate of {domain} is being issued. This takes about a minute.</p>
      )}
      <p className="mt-1">
        Others on the network can read what you enter now, including passwords. As soon as the certificate is issued,
        continue at {url}.
      </p>
    </Notice>
  );
}

function Issued() {
  return (
    <Notice kind="good" alert>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <span>The certificate is issued. Continue on the encrypted connection.</span>
        {/* The request is redirected to HTTPS; a fragment stays. */}
        <Button size="small" onClick={() => location.reload()} className="text-ink">
          Continue with HTTPS
        </Button>
      </div>
    </Notice>
  );
}
