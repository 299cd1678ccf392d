import { useRef } from 'react';
import { buttonLook } from './button.tsx';
import { useCopied } from './copied.ts';
import { Icon } from './icons.tsx';

/** A short inline text to copy. */
export function CopyText({ label, text }: { label: string; text: string }) {
  const code = useRef<HTMLElement>(null);
  const [isCopied, copy] = useCopied();
  return (
    <span className="flex min-w-0 items-start gap-1.5">
      <code ref={code} className="min-w-0 py-1.5 font-mono text-sm/5 [overflow-wrap:anywhere]">
        {text}
      </code>
      <button
        type="button"
        aria-label={label}
        title="Copy"
        onClick={() => void copy(code.current!)}
        className={`${buttonLook({ kind: 'quiet' })} size-8 min-h-0! shrink-0 p-0!`}
      >
        <Icon name={isCopied ? 'check' : 'copy'} size={16} />
      </button>
      <span role="status" className="sr-only">
        {isCopied && 'Copied'}
      </span>
    </span>
  );
}
