import { AISDKError, APICallError } from '@ai-sdk/provider';
import { ApiError, AtelierError, ConnectionError } from '@atelier/sdk';

/**
 * An error in the terms of the AI SDK; its cause is the error of the client. None is retryable: the client has retried
 * already, with the same idempotency key, and another call would be another generation.
 */
export function toCallError(error: unknown, request: { url: string; values: unknown }): unknown {
  const facts = { url: request.url, requestBodyValues: request.values, isRetryable: false, cause: error };
  if (error instanceof ApiError) {
    const { message, status, code, issues, requestId } = error;
    return new APICallError({ ...facts, message, statusCode: status, data: { code, issues, requestId } });
  }
  if (error instanceof ConnectionError) return new APICallError({ ...facts, message: error.message });
  if (error instanceof AtelierError) {
    return new AISDKError({ name: `AI_${error.name}`, message: error.message, cause: error });
  }
  return error;
}
