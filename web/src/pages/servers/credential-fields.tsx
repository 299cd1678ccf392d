import { ChoiceField } from '../../forms/choice-field.tsx';
import { FileTextField } from '../../forms/file-text-field.tsx';
import { PasswordField } from '../../forms/password-field.tsx';
import type { SignInWay } from './server-settings.ts';

const ways = [
  {
    value: 'generate' as const,
    title: 'A key made for this server',
    means: 'You get a line to put on the server. The private half never leaves Mooring.',
  },
  { value: 'privateKey' as const, title: 'A private key of yours', means: 'Pasted, or from a file.' },
  { value: 'password' as const, title: 'A password', means: 'Of the user on the server.' },
];
const keep = { value: 'keep' as const, title: 'Stored credentials', means: 'Nothing changes.' };

type Props = { way: SignInWay; onChange: (way: SignInWay) => void; mayKeep?: boolean };

/** How Mooring signs in to a server. What is given is sealed, and shown to nobody again. */
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
            hint="It is sealed, and never shown again."
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
          hint="It is sealed, and never shown again."
        />
      )}
    </>
  );
}
