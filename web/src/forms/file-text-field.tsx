import { type ChangeEvent, useRef, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { Field } from './field.tsx';
import { useClearError } from './form.tsx';

type Props = { label: string; name: string; placeholder: string; hint: string; rows?: number };

/** Text that usually comes from a file: paste it or pick the file. */
export function FileTextField({ label, name, placeholder, hint, rows = 5 }: Props) {
  const [text, setText] = useState('');
  const file = useRef<HTMLInputElement>(null);
  const forget = useClearError();
  const read = async ({ target }: ChangeEvent<HTMLInputElement>) => {
    const [chosen] = target.files ?? [];
    if (!chosen) return;
    setText(await chosen.text());
    forget(name);
    // Allows picking the same file again after it was edited.
    target.value = '';
  };
  return (
    <div className="relative">
      <Field label={label} name={name} hint={hint}>
        {({ className, ...control }) => (
          <textarea
            {...control}
            value={text}
            onChange={(event) => setText(event.target.value)}
            rows={rows}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            placeholder={placeholder}
            className={`${className} font-mono text-xs`}
          />
        )}
      </Field>
      <Button
        kind="quiet"
        size="small"
        className="absolute -top-2 right-0"
        aria-label={`${label}: choose a file`}
        onClick={() => file.current?.click()}
      >
        Choose a file
      </Button>
      <input ref={file} type="file" aria-label={`${label}: file`} hidden onChange={(event) => void read(event)} />
    </div>
  );
}
