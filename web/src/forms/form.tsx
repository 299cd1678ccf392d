import { ApiError } from '@mooring/client';
import { createContext, type FormEvent, type ReactNode, useContext, useEffect, useRef, useState } from 'react';
import { asSentence, sentenceOf } from '../api.ts';
import { Button } from '../ui/button.tsx';
import { Notice, RequestId } from '../ui/notice.tsx';

type Change = { error: unknown; isPending: boolean };
type FieldError = ApiError['details'][number];
type FormState = {
  busy: boolean;
  details: FieldError[];
  problem: string | undefined;
  error: unknown;
  forget: (name: string) => void;
};

/** Reads a field of the form by its name. */
export type FormValues = (name: string) => string;

const FormContext = createContext<FormState>({
  busy: false,
  details: [],
  problem: undefined,
  error: undefined,
  forget: () => undefined,
});

type Props = { change: Change; onSubmit: (values: FormValues) => void; children: ReactNode };

/** A form for one API mutation. The API does all validation: its error appears beside the field that it names, or
 * above the buttons if there is no such field. */
export function Form({ change, onSubmit, children }: Props) {
  const form = useRef<HTMLFormElement>(null);
  const [names, setNames] = useState<string[]>([]);
  const [edited, setEdited] = useState<string[]>([]);
  const all = change.error instanceof ApiError ? change.error.details : [];
  const details = all.filter(({ field }) => !edited.some((name) => field === name || field.startsWith(`${name}.`)));
  const forget = (name: string) => setEdited((before) => (before.includes(name) ? before : [...before, name]));
  const state = {
    busy: change.isPending,
    details,
    problem: problemOf(change.error, all, names),
    error: change.error,
    forget,
  };

  useEffect(() => {
    if (change.error) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [change.error]);

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    // React bubbles the submit of a dialog's form to the form of the page that opened it.
    event.stopPropagation();
    setEdited([]);
    setNames([...event.currentTarget.elements].map((element) => element.getAttribute('name') ?? ''));
    onSubmit(valuesOf(event.currentTarget));
  };

  return (
    <FormContext value={state}>
      <form
        ref={form}
        noValidate
        onSubmit={submit}
        onChange={(event) => forget(nameOf(event.target))}
        className="grid grid-cols-1 gap-5"
      >
        {children}
      </form>
    </FormContext>
  );
}

/** An error found by the form itself, shown like an API error: beside a field, or above the buttons. */
export const formError = (message: string, field?: string): ApiError =>
  new ApiError(400, {
    error: message,
    details: field === undefined ? [] : [{ field, message: `${field} ${message}` }],
  });

const nameOf = (target: EventTarget) => (target instanceof Element && target.getAttribute('name')) || '';
/** Returns a reader of the form's current values. */
export function valuesOf(form: HTMLFormElement): FormValues {
  const values = new FormData(form);
  return (name) => textOf(values.get(name));
}

const textOf = (value: FormDataEntryValue | null) => (typeof value === 'string' ? value : '');

function problemOf(error: unknown, details: FieldError[], names: string[]): string | undefined {
  if (!error) return undefined;
  const homeless = details.filter(({ field }) => !names.includes(field));
  if (details.length && !homeless.length) return undefined;
  return homeless[0] ? asSentence(homeless[0].message) : sentenceOf(error);
}

/** The API's error for a field, with the visible label in place of the field's name. */
export function useFieldError(name: string, label: string): string | undefined {
  const found = useContext(FormContext).details.find(({ field }) => field === name);
  return found && asSentence(found.message.replace(name, label));
}

/** Whether one of these fields has an error. */
export const useHasError = (names: readonly string[]): boolean =>
  useContext(FormContext).details.some(({ field }) => names.includes(field));

/** Clears the error of a field and its subfields once the person edits it. */
export const useClearError = () => useContext(FormContext).forget;

/** Errors of the whole form, and its buttons. */
export function FormActions({
  submit,
  kind = 'row',
  isReady = true,
  help,
  children,
}: {
  submit: ReactNode;
  kind?: 'row' | 'full';
  /** False while the form cannot be submitted; the page says why. */
  isReady?: boolean;
  /** How to fix the error. */
  help?: ReactNode;
  children?: ReactNode;
}) {
  const { busy, problem, error } = useContext(FormContext);
  return (
    <div className="grid grid-cols-1 gap-4">
      {problem && (
        <Notice kind="danger" alert>
          {problem}
          <RequestId of={error} />
        </Notice>
      )}
      {help}
      <div className={kind === 'full' ? 'grid' : 'flex flex-wrap justify-end gap-2'}>
        {children}
        <Button type="submit" kind="primary" busy={busy} disabled={!isReady}>
          {submit}
        </Button>
      </div>
    </div>
  );
}
