import { asSentence } from '../../api.ts';
import type { Preflight } from '../../destination-queries.ts';
import { Notice } from '../../ui/notice.tsx';
import { remedyOf } from './destination-words.ts';

/** The result of a preflight, with the reason and the fix. */
export function PreflightOutcome({ outcome: { ok, reason, code } }: { outcome: Preflight }) {
  if (ok)
    return (
      <Notice kind="good">The preflight passed: a probe object was written, read back, compared and deleted.</Notice>
    );
  const remedy = remedyOf(code);
  return (
    <Notice kind="danger" alert>
      <p className="font-medium">The preflight failed</p>
      <p className="text-ink">{asSentence(reason ?? 'the destination gave no reason')}</p>
      {remedy && (
        <p className="mt-1 text-ink">
          <span className="font-medium">What to do:</span> {remedy}
        </p>
      )}
    </Notice>
  );
}
