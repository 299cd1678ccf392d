import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router';
import { sentenceOf } from '../api.ts';
import { paths } from '../paths.ts';
import { Button, buttonLook } from '../ui/button.tsx';
import { Mark } from '../ui/logo.tsx';
import { Spinner } from '../ui/spinner.tsx';

export function PendingPage() {
  return (
    <div role="status" className="grid min-h-80 place-items-center text-muted">
      <Spinner size={28} />
      <span className="sr-only">Loading</span>
    </div>
  );
}

/** For a failure outside the shell; includes its own `main`. */
export const WholeFailurePage = (props: ErrorComponentProps) => (
  <main>
    <FailurePage {...props} />
  </main>
);

export function FailurePage({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const retry = () => {
    reset();
    void router.invalidate();
  };
  return (
    <Centred title="Something went wrong" text={sentenceOf(error)}>
      <Button kind="primary" onClick={retry}>
        Try again
      </Button>
    </Centred>
  );
}

export function NotFoundPage() {
  return (
    <Centred title="Page not found" text="The address may be mistyped, or the page no longer exists.">
      <Link to={paths.overview} className={buttonLook({ kind: 'primary' })}>
        Go to the overview
      </Link>
    </Centred>
  );
}

function Centred({ title, text, children }: { title: string; text: string; children: React.ReactNode }) {
  return (
    <div className="grid min-h-[70dvh] place-content-center justify-items-center gap-3 px-6 text-center">
      <title>{`${title} · Mooring`}</title>
      <Mark size={44} />
      <h1 className="mt-3 text-2xl font-semibold tracking-tight">{title}</h1>
      <p className="max-w-md text-muted">{text}</p>
      <div className="mt-3">{children}</div>
    </div>
  );
}
