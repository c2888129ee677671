import type { ParamDescriptor, ParamName, ParamValue } from '@atelier/contract';
import { createContext, useContext } from 'react';
import type { FormValues } from '../form-state.ts';

export type Control = ParamDescriptor['ui']['control'];

export interface ControlProps {
  readonly descriptor: ParamDescriptor;
  readonly value: ParamValue | undefined;
  readonly error: string | null;
  onValue(value: ParamValue | undefined): void;
}

/** The form around a control, for those that depend on other fields. */
export interface FormScope {
  readonly accountId: string;
  readonly descriptors: readonly ParamDescriptor[];
  readonly values: FormValues;
  /** Largest file that the model takes. */
  readonly maxInputBytes: number | null;
  setValue(name: ParamName, value: ParamValue | undefined): void;
  /** A field that is still uploading: the form waits for it. */
  setUploading(name: ParamName, isUploading: boolean): void;
}

export const FormContext = createContext<FormScope | null>(null);

export function useForm(): FormScope {
  const form = useContext(FormContext);
  if (form === null) throw new Error('No form around the control');
  return form;
}
