import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { FileTextField } from '../../forms/file-text-field.tsx';
import { Form, FormActions } from '../../forms/form.tsx';
import { Card } from '../../ui/page.tsx';
import type { Candidate } from './candidate.ts';
import { packTexts } from './pack.ts';
import { UploadProgress } from './upload-progress.tsx';
import { upload } from './upload.ts';

type Props = { onUploaded: (candidate: Candidate) => void };

/** A compose file alone. One that builds images needs the files beside it: those come as a folder. */
export function ComposeSource({ onUploaded }: Props) {
  const [share, setShare] = useState(0);
  const send = useMutation({
    mutationFn: async (text: string) => {
      const { archive } = await packTexts({ 'compose.yaml': text });
      const uploadSessionId = await upload(archive, setShare);
      const name = /^name:\s*["']?([\w-]+)/m.exec(text)?.[1] ?? '';
      onUploaded({ name, origin: 'a compose file', source: { type: 'upload' }, uploadSessionId });
    },
  });
  if (send.isPending) return <UploadProgress share={share} />;
  return (
    <Card className="p-5">
      <Form
        change={send}
        onSubmit={(value) => {
          if (value('compose').trim()) send.mutate(value('compose'));
        }}
      >
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
