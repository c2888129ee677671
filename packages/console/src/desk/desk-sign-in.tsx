import { useSearch } from '@tanstack/react-router';
import { Gate } from '../app/gate.tsx';
import { SignInForm } from '../pages/sign-in/sign-in-form.tsx';
import { useDeskText } from './use-desk-text.ts';

export function DeskSignIn() {
  const { gate } = useDeskText();
  const { next } = useSearch({ strict: false }) as { next?: string };
  return (
    <SignInForm
      next={next}
      passkeys={false}
      frame={(form) => (
        <Gate title={gate.title} description={gate.description}>
          {form}
        </Gate>
      )}
    />
  );
}
