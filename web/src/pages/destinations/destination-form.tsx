import { type FormEvent, type ReactNode, useRef, useState } from 'react';
import type { Destination, DestinationKind, Preflight } from '../../destination-queries.ts';
import { Form, FormActions, type FormValues, valuesOf } from '../../forms/form.tsx';
import { TextField } from '../../forms/text-field.tsx';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Waiting } from '../../ui/waiting.tsx';
import { DestinationFields } from './destination-fields.tsx';
import { isDestinationMoved } from './destination-values.ts';
import { PreflightOutcome } from './preflight-outcome.tsx';
import { exactText } from '../../forms/exact-text.ts';

type Change<Input> = {
  error: unknown;
  isPending: boolean;
  mutate: (input: Input) => void;
  reset: () => void;
};
export type DestinationFormValues = { values: FormValues; isDefault: boolean; cleared: string[] };

type Props = {
  kind: DestinationKind;
  destination?: Destination;
  save: Change<DestinationFormValues>;
  /** Undefined for people who may not run it. */
  test: (Change<DestinationFormValues> & { data: Preflight | undefined }) | undefined;
  submit: string;
  onClose: () => void;
  /** Between the name and the fields of the kind. */
  children?: ReactNode;
};

/** The fields of a destination, with a preflight of the entered values before they are saved. */
export function DestinationForm({ kind, destination, save, test, submit, onClose, children }: Props) {
  const [isDefault, setIsDefault] = useState(destination?.isDefault ?? false);
  const [cleared, setCleared] = useState<string[]>([]);
  const [hasMoved, setHasMoved] = useState(false);
  const isTest = useRef(false);
  const onSubmit = (values: FormValues) => {
    const [wanted, other] = isTest.current && test ? [test, save] : [save, test];
    isTest.current = false;
    other?.reset();
    wanted.mutate({ values, isDefault, cleared });
  };
  const lookAtAddress = ({ currentTarget }: FormEvent<HTMLElement>) => {
    if (destination) setHasMoved(isDestinationMoved(destination, kind, valuesOf(currentTarget.closest('form')!)));
    // The outcome was for other values.
    test?.reset();
  };
  const startTest = (form: HTMLFormElement | null) => {
    isTest.current = true;
    form?.requestSubmit();
  };
  return (
    <Form change={{ error: test?.error ?? save.error, isPending: save.isPending }} onSubmit={onSubmit}>
      <TextField
        label="Name"
        name="name"
        placeholder="Nightly backups"
        {...exactText}
        maxLength={80}
        defaultValue={destination?.name ?? ''}
        required
        autoFocus
      />
      {children}
      <div className="grid grid-cols-1 items-start gap-5 sm:grid-cols-2" onChange={lookAtAddress}>
        <DestinationFields
          kind={kind}
          destination={destination}
          isMoved={hasMoved}
          cleared={cleared}
          onClear={(name, on) =>
            setCleared((before) => [...before.filter((each) => each !== name), ...(on ? [name] : [])])
          }
        />
        <TextField
          label="Path prefix"
          name="pathPrefix"
          placeholder="nightly"
          hint="Prefix of all object names. Optional."
          {...exactText}
          defaultValue={destination?.pathPrefix ?? ''}
        />
      </div>
      <Checkbox checked={isDefault} onChange={setIsDefault}>
        Default destination of the organization
      </Checkbox>
      <FormActions submit={submit} help={test && <TestState test={test} />}>
        {test && (
          <Button
            className="mr-auto"
            busy={test.isPending}
            disabled={save.isPending}
            onClick={({ currentTarget }) => startTest(currentTarget.form)}
          >
            Run preflight
          </Button>
        )}
        <Button onClick={onClose}>Cancel</Button>
      </FormActions>
    </Form>
  );
}

const TestState = ({ test }: { test: NonNullable<Props['test']> }) => (
  <div role="status" className={test.isPending || test.data ? '' : 'sr-only'}>
    {test.isPending && <Waiting>Writing, reading back and deleting a probe object …</Waiting>}
    {test.data && !test.isPending && <PreflightOutcome outcome={test.data} />}
  </div>
);
