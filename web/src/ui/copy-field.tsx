import { useId, useRef } from 'react';
import { Button } from './button.tsx';
import { useCopied } from './copied.ts';
import { Icon } from './icons.tsx';

/** A value to copy, such as a token or a link. */
export function CopyField({ label, value }: { label: string; value: string }) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [isCopied, copy] = useCopied();
  return (
    <div>
      <label htmlFor={id} className="mb-1.5 block text-sm font-medium">
        {label}
      </label>
      <div className="flex gap-2">
        <input
          id={id}
          ref={input}
          readOnly
          value={value}
          onFocus={(event) => event.currentTarget.select()}
          className="control min-w-0 flex-1 font-mono text-sm"
        />
        <Button onClick={() => void copy(input.current!)} className="min-w-25">
          <Icon name={isCopied ? 'check' : 'copy'} size={16} />
          <span aria-live="polite">{isCopied ? 'Copied' : 'Copy'}</span>
        </Button>
      </div>
    </div>
  );
}
