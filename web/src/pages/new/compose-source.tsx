import { useMutation } from '@tanstack/react-query';
import { FileTextField } from '../../forms/file-text-field.tsx';
import { Form, FormActions, formError } from '../../forms/form.tsx';
import { Card } from '../../ui/page.tsx';
import type { Candidate } from './candidate.ts';
import { packTexts } from './pack.ts';
import { upload } from './upload.ts';

type Props = { onUploaded: (candidate: Candidate) => void };

/** A single compose file. One that builds images needs the files beside it, so it is uploaded as a folder. */
export function ComposeSource({ onUploaded }: Props) {
  const send = useMutation({
    mutationFn: async (text: string) => {
      if (!text.trim()) throw formError('must not be empty', 'compose');
      const { archive } = await packTexts({ 'compose.yaml': text });
      const uploadSessionId = await upload(archive, () => undefined);
      const name = /^name:\s*["']?([\w-]+)/m.exec(text)?.[1] ?? '';
      onUploaded({ name, origin: 'a compose file', source: { type: 'upload' }, uploadSessionId });
    },
  });
  return (
    <Card className="p-5">
      <Form change={send} onSubmit={(value) => send.mutate(value('compose'))}>
        <FileTextField
          label="Compose file"
          name="compose"
          rows={14}
          placeholder={'services:\n  web:\n    image: nginx\n    ports: ["80"]'}
          hint="Paste it or choose the file. When it builds images or mounts files, drop the whole folder instead."
        />
        <FormActions submit="Continue" />
      </Form>
    </Card>
  );
}
