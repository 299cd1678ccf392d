import { useId, useRef, useState } from 'react';
import { Button } from './button.tsx';
import { Icon } from './icons.tsx';

/** The clipboard is there only on https and localhost; an instance in a home network may be neither. */
async function copyFrom(input: HTMLInputElement): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(input.value);
  input.select();
  document.execCommand('copy');
}

/** A value to take away, such as a token or a link. */
export function CopyField({ label, value }: { label: string; value: string }) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await copyFrom(input.current!);
    setCopied(true);
    setTimeout(() => setCopied(false), 2500);
  };
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
        <Button onClick={() => void copy()} className="min-w-25">
          <Icon name={copied ? 'check' : 'copy'} size={16} />
          <span aria-live="polite">{copied ? 'Copied' : 'Copy'}</span>
        </Button>
      </div>
    </div>
  );
}
