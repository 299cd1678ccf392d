import { SmallPage } from '../../shell/small-page.tsx';

/** The instance has no owner and the visitor has no setup code: says where to find it. */
export function SetupNeeded() {
  return (
    <SmallPage title="Almost there" lead="This instance has no owner yet. The person who started it can create one.">
      <ol className="grid list-decimal gap-3 pl-5 marker:text-muted">
        <li>Look at the output of the service: the terminal it was started in, or its log.</li>
        <li>
          Open the link that it printed. It ends like this:
          <code className="mt-2 block rounded-lg bg-sunken px-3 py-2 font-mono text-sm">/setup#code=…</code>
        </li>
      </ol>
      <p className="mt-5 text-sm text-muted">
        The link works once and for a day. A restart of the service prints a new one.
      </p>
    </SmallPage>
  );
}
