import { ChoiceField } from '../../forms/choice-field.tsx';
import { FileTextField } from '../../forms/file-text-field.tsx';
import { PasswordField } from '../../forms/password-field.tsx';
import type { SignInWay } from './server-settings.ts';

const ways = [
  {
    value: 'generate' as const,
    title: 'Generate a key',
    means: 'You add the public key to the server. The private key never leaves Mooring.',
  },
  { value: 'privateKey' as const, title: 'Your own private key', means: 'Paste it or choose a file.' },
  { value: 'password' as const, title: 'Password', means: 'The password of that user.' },
];
const keep = { value: 'keep' as const, title: 'Stored credentials', means: 'Keep them as they are.' };

type Props = { way: SignInWay; onChange: (way: SignInWay) => void; mayKeep?: boolean };

/** How Mooring signs in to a server. Credentials are write-only. */
export function CredentialFields({ way, onChange, mayKeep = false }: Props) {
  return (
    <>
      <ChoiceField<SignInWay>
        label="Sign in with"
        name="way"
        choices={mayKeep ? [keep, ...ways] : ways}
        value={way}
        onChange={onChange}
      />
      {way === 'privateKey' && (
        <>
          <FileTextField
            label="Private key"
            name="privateKey"
            placeholder="-----BEGIN OPENSSH PRIVATE KEY-----"
            hint="Stored encrypted and never shown again."
          />
          <PasswordField
            label="Passphrase"
            name="passphrase"
            autoComplete="new-password"
            hint="Only if the key has one."
          />
        </>
      )}
      {way === 'password' && (
        <PasswordField
          label="Password"
          name="password"
          autoComplete="new-password"
          hint="Stored encrypted and never shown again."
        />
      )}
    </>
  );
}
