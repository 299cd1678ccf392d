import { useState } from 'react';
import { Field } from '../../forms/field.tsx';
import { Form, FormActions, formError } from '../../forms/form.tsx';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { useToast } from '../../ui/toast.tsx';
import { useChangeVariables, type Variable } from '../../variable-queries.ts';
import { variableChanges, newRow, problemIn, VariableRows } from './variable-rows.tsx';

export function AddVariablesDialog({ projectId, onClose }: { projectId: string; onClose: () => void }) {
  const toast = useToast();
  const change = useChangeVariables(projectId);
  const [rows, setRows] = useState(() => [newRow()]);
  const changes = variableChanges(rows);
  const count = Object.keys(changes).length;
  const [refused, setRefused] = useState<Error>();
  const submit = () => {
    const problem = problemIn(rows) ?? (count ? undefined : 'Enter a name and a value, or paste a .env file.');
    setRefused(problem ? formError(problem) : undefined);
    if (problem) return;
    change.mutate(changes, {
      onSuccess: () => {
        toast(count === 1 ? 'The variable is set' : `${count} variables are set`);
        onClose();
      },
    });
  };
  return (
    <Dialog
      wide
      title="Add variables"
      lead="They take effect with the next deployment. A secret value cannot be read again. A build variable is also set during the build."
      onClose={onClose}
    >
      <Form change={{ ...change, error: refused ?? change.error }} onSubmit={submit}>
        <VariableRows rows={rows} onChange={setRows} />
        <FormActions submit={count > 1 ? `Set ${count} variables` : 'Set variable'}>
          <Button onClick={onClose}>Cancel</Button>
        </FormActions>
      </Form>
    </Dialog>
  );
}

type EditProps = { projectId: string; variable: Variable; onClose: () => void };

/** An empty value keeps that of a secret variable. */
export function EditVariableDialog({ projectId, variable: { key, value, ...before }, onClose }: EditProps) {
  const change = useChangeVariables(projectId);
  const [text, setText] = useState(value ?? '');
  const [secret, setSecret] = useState(before.secret);
  const [buildTime, setBuildTime] = useState(before.buildTime);
  const given = before.secret && !text ? {} : { value: text };
  return (
    <Dialog title={key} onClose={onClose}>
      <Form
        change={change}
        onSubmit={() => change.mutate({ [key]: { ...given, secret, buildTime } }, { onSuccess: onClose })}
      >
        <Field
          label="Value"
          name={`variables.${key}.value`}
          hint={before.secret ? 'The stored value is not shown. Leave empty to keep it.' : undefined}
        >
          {({ className, ...control }) => (
            <textarea
              {...control}
              autoFocus
              rows={Math.min(8, Math.max(2, text.split('\n').length))}
              value={text}
              onChange={(event) => setText(event.target.value)}
              autoCapitalize="none"
              spellCheck={false}
              className={`${className} font-mono text-sm`}
            />
          )}
        </Field>
        <div className="flex flex-wrap gap-x-6 gap-y-2">
          <Checkbox checked={secret} onChange={setSecret}>
            Secret
          </Checkbox>
          <Checkbox checked={buildTime} onChange={setBuildTime}>
            Also set during the build
          </Checkbox>
        </div>
        <FormActions submit="Save">
          <Button onClick={onClose}>Cancel</Button>
        </FormActions>
      </Form>
    </Dialog>
  );
}
