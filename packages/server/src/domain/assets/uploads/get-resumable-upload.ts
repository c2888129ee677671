import type { ResumableUpload } from '@atelier/contract';
import type { Services } from '../../services.ts';
import { renderResumable, requireResumable } from './resumable-upload.ts';

export async function getResumableUpload(
  services: Pick<Services, 'db'>,
  key: { accountId: string; id: string },
): Promise<ResumableUpload> {
  return renderResumable(await requireResumable(services, key));
}
