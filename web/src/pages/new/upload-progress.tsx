import { Spinner } from '../../ui/spinner.tsx';
import { Card } from '../../ui/page.tsx';

/** Packing precedes the upload. */
export function UploadProgress({ share }: { share: number }) {
  const percent = Math.round(share * 100);
  return (
    <Card className="grid gap-3 p-6">
      <p role="status" className="flex items-center gap-3 font-medium">
        <Spinner size={18} />
        {share === 0 ? 'Packing the files' : `Uploading, ${percent} %`}
      </p>
      <div className="h-2 overflow-hidden rounded-full bg-sunken">
        <div className="h-full rounded-full bg-accent transition-[width]" style={{ width: `${percent}%` }} />
      </div>
    </Card>
  );
}
