import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { createPortal } from 'react-dom';
import { Icon } from '../../../parts/icon.tsx';
import { useText } from '../../../text/use-text.ts';
import { assetQuery } from '../../generations/generation-queries.ts';
import { type ControlProps, useForm } from './control.ts';
import { MaskPainter } from './mask-painter.tsx';
import { Attachment, Dropzone, MediaField } from './media-controls.tsx';
import { useUpload } from './use-upload.ts';

/** A mask: painted over the picture of the form, or a file for those who cannot paint or have one. */
export function MaskControl({ descriptor, value, error, onValue }: ControlProps) {
  const text = useText().playground;
  const { accountId, values } = useForm();
  const { state, send, cancel } = useUpload(descriptor.name);
  const [isPainting, setIsPainting] = useState(false);
  const pictureId = typeof values.image === 'string' && values.image !== '' ? values.image : null;
  const picture = useQuery({ ...assetQuery(accountId, pictureId ?? ''), enabled: pictureId !== null }).data;
  const label = text.params[descriptor.name];
  const take = (files: readonly File[]) => void send(files, ({ id }) => onValue(id));
  const paint = (
    <button
      className="button"
      data-size="small"
      type="button"
      disabled={picture === undefined}
      onClick={() => setIsPainting(true)}
    >
      <Icon name="brush" />
      {text.mask.paint}
    </button>
  );
  return (
    <MediaField label={label} error={error} state={state} value={picture === undefined ? text.mask.first : undefined}>
      {typeof value === 'string' && value !== '' ? (
        <Attachment assetId={value} accept="image" onRemove={() => onValue(undefined)}>
          {paint}
        </Attachment>
      ) : (
        <>
          {paint}
          <Dropzone label={label} accept="image" state={state} onFiles={take} onCancel={cancel} />
        </>
      )}
      {isPainting &&
        picture !== undefined &&
        // The dialog is a form of its own, which must not be inside this one.
        createPortal(
          <MaskPainter
            picture={picture}
            onMask={(file) => {
              setIsPainting(false);
              take([file]);
            }}
            onClose={() => setIsPainting(false)}
          />,
          document.body,
        )}
    </MediaField>
  );
}
