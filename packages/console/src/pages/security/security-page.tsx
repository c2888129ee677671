import { PageHead } from '../../parts/page-head.tsx';
import { useText } from '../../text/use-text.ts';
import { PasskeySection } from './passkey-section.tsx';
import { PasswordSection } from './password-section.tsx';
import { SessionSection } from './session-section.tsx';
import { TotpSection } from './totp-section.tsx';

export function SecurityPage() {
  const text = useText().security;
  return (
    <>
      <PageHead title={text.title} description={text.description} />
      <div className="columns section" data-split="even">
        <PasskeySection />
        <TotpSection />
      </div>
      <SessionSection />
      <PasswordSection />
    </>
  );
}
