import { useMutation } from '@tanstack/react-query';
import { type DragEvent, useRef, useState } from 'react';
import { sentenceOf } from '../../api.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Notice } from '../../ui/notice.tsx';
import type { Candidate } from './candidate.ts';
import { filesChosen, filesDropped, nameOfPicked, type PickedFile } from './picked-files.ts';
import { UploadProgress } from './upload-progress.tsx';
import { packPicked } from './pack.ts';
import { upload } from './upload.ts';

type Props = { onUploaded: (candidate: Candidate) => void };

/** A folder or an archive from the user's computer. */
export function FolderSource({ onUploaded }: Props) {
  const [share, setShare] = useState(0);
  const [isOver, setIsOver] = useState(false);
  const folder = useRef<HTMLInputElement>(null);
  const archive = useRef<HTMLInputElement>(null);
  const send = useMutation({
    mutationFn: async ({ name, files }: { name: string; files: Promise<PickedFile[]> | PickedFile[] }) => {
      setShare(0);
      const { archive: packed, leftOut } = await packPicked(await files);
      const uploadSessionId = await upload(packed, setShare);
      onUploaded({ name, origin: name || 'uploaded files', source: { type: 'upload' }, uploadSessionId, leftOut });
    },
  });
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setIsOver(false);
    const { items } = event.dataTransfer;
    const names = [...items].flatMap((item) => item.webkitGetAsEntry() ?? []);
    send.mutate({ name: nameOfPicked(names), files: filesDropped(items) });
  };
  const choose = (input: HTMLInputElement) => {
    const { files } = input;
    if (!files?.length) return;
    const top = files[0]!.webkitRelativePath.split('/', 1)[0] || files[0]!.name;
    send.mutate({ name: nameOfPicked([{ name: top }]), files: filesChosen(files) });
  };
  if (send.isPending) return <UploadProgress share={share} />;
  return (
    <div className="grid grid-cols-1 gap-4">
      <div
        onDragOver={(event) => {
          event.preventDefault();
          setIsOver(true);
        }}
        onDragLeave={() => setIsOver(false)}
        onDrop={drop}
        className={`grid justify-items-center rounded-xl border-2 border-dashed px-6 py-16 text-center ${isOver ? 'border-accent bg-accent-soft' : 'border-line-strong bg-surface'}`}
      >
        <span className="mb-4 grid size-12 place-items-center rounded-full bg-accent-soft text-accent">
          <Icon name="folder" size={22} />
        </span>
        <p className="font-semibold">Drop a folder, a .zip or a .tar.gz here</p>
        <p className="mt-1 max-w-md text-muted">
          node_modules, .venv, .git and what .gitignore names stay on your computer, and so do .env files.
        </p>
        <div className="mt-5 flex flex-wrap justify-center gap-2">
          <Button kind="primary" onClick={() => folder.current?.click()}>
            Choose a folder
          </Button>
          <Button onClick={() => archive.current?.click()}>Choose an archive</Button>
        </div>
        <input
          ref={folder}
          type="file"
          hidden
          aria-label="Folder"
          onChange={(event) => choose(event.target)}
          {...{ webkitdirectory: '' }}
        />
        <input
          ref={archive}
          type="file"
          hidden
          aria-label="Archive"
          accept=".zip,.gz,.tgz"
          onChange={(event) => choose(event.target)}
        />
      </div>
      {send.error && (
        <Notice kind="danger" alert>
          {send.error.name === 'Error' ? send.error.message : sentenceOf(send.error)}
        </Notice>
      )}
    </div>
  );
}
