import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Dialog } from '../parts/dialog.tsx';
import { TextField } from '../parts/field.tsx';
import { ProblemNotice } from '../parts/problem-notice.tsx';
import { useDeskText } from './use-desk-text.ts';

const MAX_CHARS = 200;

/** A change of the desk: its fields, and always a reason. */
export function ReasonDialog(props: {
  title: string;
  description?: ReactNode;
  action: string;
  danger?: boolean;
  disabled?: boolean;
  children?: ReactNode;
  change(reason: string): Promise<void>;
  onClose(): void;
}) {
  const text = useDeskText();
  const [reason, setReason] = useState('');
  const mutation = useMutation({ mutationFn: () => props.change(reason.trim()), onSuccess: props.onClose });
  return (
    <Dialog
      title={props.title}
      description={props.description}
      action={props.action}
      actionKind={props.danger === true ? 'danger' : 'primary'}
      actionDisabled={props.disabled === true || reason.trim() === ''}
      busy={mutation.isPending}
      onSubmit={() => mutation.mutate()}
      onClose={props.onClose}
    >
      {props.children}
      <TextField
        label={text.reason}
        hint={text.reasonHint}
        required
        maxLength={MAX_CHARS}
        text={reason}
        onText={setReason}
      />
      {mutation.error !== null && <ProblemNotice error={mutation.error} />}
    </Dialog>
  );
}
