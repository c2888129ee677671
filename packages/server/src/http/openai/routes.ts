import type { OpenaiHandlers } from './openai-handler.ts';
import { audioRoutes } from './routes/audio.ts';
import { imageRoutes } from './routes/images.ts';
import { modelRoutes } from './routes/models.ts';
import { videoRoutes } from './routes/videos.ts';

/** The handlers of all operations. A row of the contract without a handler does not compile. */
export const openaiHandlers: OpenaiHandlers = { ...imageRoutes, ...audioRoutes, ...videoRoutes, ...modelRoutes };
