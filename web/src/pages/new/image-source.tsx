import { useState } from 'react';
import { Form, FormActions, formError } from '../../forms/form.tsx';
import { numberIn } from '../../forms/number.ts';
import { TextField } from '../../forms/text-field.tsx';
import { Card } from '../../ui/page.tsx';
import { type Candidate, nameOfUrl } from './candidate.ts';

export function ImageSource({ onChosen }: { onChosen: (candidate: Candidate) => void }) {
  const [error, setError] = useState<Error>();
  return (
    <Card className="p-5">
      <Form
        change={{ error, isPending: false }}
        onSubmit={(value) => {
          const image = value('image').trim();
          const port = numberIn(value('port')) ?? null;
          const name = nameOfUrl(image.replace(/(@.*|:[\w.-]+)$/, ''));
          if (!image) setError(formError('must not be empty', 'image'));
          else if (port !== null && !isPort(port)) setError(formError('must be a number from 1 to 65535', 'port'));
          else onChosen({ name, origin: image, source: { type: 'services' }, image: { image, port } });
        }}
      >
        <div className="grid gap-5 sm:grid-cols-[minmax(0,1fr)_12rem]">
          <TextField
            label="Image"
            name="image"
            placeholder="ghost:5-alpine"
            hint="With its registry if it is not Docker Hub: registry.example.org/team/app:1.4. Private registries are under Registries."
            autoCapitalize="none"
            spellCheck={false}
            autoFocus
            required
          />
          <TextField
            label="Port"
            name="port"
            inputMode="numeric"
            placeholder="80"
            hint="That the app listens on. Empty: nothing is reachable from outside."
          />
        </div>
        <FormActions submit="Continue" />
      </Form>
    </Card>
  );
}

const isPort = (port: number) => Number.isInteger(port) && port >= 1 && port <= 65_535;
