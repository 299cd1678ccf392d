import { OnceDialog } from '../../ui/once-dialog.tsx';

export function NewTokenDialog({ name, token, onClose }: { name: string; token: string; onClose: () => void }) {
  return (
    <OnceDialog
      title="Your new token"
      lead={`${name} is ready to use.`}
      label="Access token"
      value={token}
      onClose={onClose}
    >
      <div>
        <p className="mb-1.5 text-sm font-medium">Try it</p>
        <pre className="overflow-x-auto rounded-lg bg-sunken px-3 py-2.5 font-mono text-xs leading-relaxed">
          {`curl -H "Authorization: Bearer $TOKEN" \\\n  ${window.location.origin}/api/me`}
        </pre>
      </div>
    </OnceDialog>
  );
}
