// Generated from the table of problems by `npm run generate`. Do not edit.

import { ApiError } from './api-error.ts';

/** 400: Invalid request. */
export class InvalidParamsError extends ApiError<'invalid_params'> {
  override get name(): string {
    return 'InvalidParamsError';
  }
}

/** 400: The quote does not match this request. */
export class InvalidQuoteError extends ApiError<'invalid_quote'> {
  override get name(): string {
    return 'InvalidQuoteError';
  }
}

/** 400: Missing Idempotency-Key header. */
export class IdempotencyKeyRequiredError extends ApiError<'idempotency_key_required'> {
  override get name(): string {
    return 'IdempotencyKeyRequiredError';
  }
}

/** 400: Consent required. */
export class ConsentRequiredError extends ApiError<'consent_required'> {
  override get name(): string {
    return 'ConsentRequiredError';
  }
}

/** 400: Input too large. */
export class InputTooLargeError extends ApiError<'input_too_large'> {
  override get name(): string {
    return 'InputTooLargeError';
  }
}

/** 400: Input too short or too long. */
export class InputDurationError extends ApiError<'input_duration'> {
  override get name(): string {
    return 'InputDurationError';
  }
}

/** 400: Wrong kind of media. */
export class WrongMediaError extends ApiError<'wrong_media'> {
  override get name(): string {
    return 'WrongMediaError';
  }
}

/** 401: Missing API key. */
export class UnauthorizedError extends ApiError<'unauthorized'> {
  override get name(): string {
    return 'UnauthorizedError';
  }
}

/** 401: Invalid API key. */
export class InvalidApiKeyError extends ApiError<'invalid_api_key'> {
  override get name(): string {
    return 'InvalidApiKeyError';
  }
}

/** 401: API key revoked. */
export class ApiKeyRevokedError extends ApiError<'api_key_revoked'> {
  override get name(): string {
    return 'ApiKeyRevokedError';
  }
}

/** 401: API key expired. */
export class ApiKeyExpiredError extends ApiError<'api_key_expired'> {
  override get name(): string {
    return 'ApiKeyExpiredError';
  }
}

/** 402: Not enough coins. */
export class InsufficientCoinsError extends ApiError<'insufficient_coins'> {
  override get name(): string {
    return 'InsufficientCoinsError';
  }
}

/** 402: Monthly spend cap of the API key exceeded. */
export class SpendCapExceededError extends ApiError<'spend_cap_exceeded'> {
  override get name(): string {
    return 'SpendCapExceededError';
  }
}

/** 403: The API key does not have the required scope. */
export class InsufficientScopeError extends ApiError<'insufficient_scope'> {
  override get name(): string {
    return 'InsufficientScopeError';
  }
}

/** 403: Too many content policy failures. */
export class CooldownError extends ApiError<'cooldown'> {
  override get name(): string {
    return 'CooldownError';
  }
}

/** 403: Account locked. */
export class AccountLockedError extends ApiError<'account_locked'> {
  override get name(): string {
    return 'AccountLockedError';
  }
}

/** 403: Invalid link. */
export class LinkInvalidError extends ApiError<'link_invalid'> {
  override get name(): string {
    return 'LinkInvalidError';
  }
}

/** 403: Link expired. */
export class LinkExpiredError extends ApiError<'link_expired'> {
  override get name(): string {
    return 'LinkExpiredError';
  }
}

/** 404: Not found. */
export class NotFoundError extends ApiError<'not_found'> {
  override get name(): string {
    return 'NotFoundError';
  }
}

/** 404: Unknown model. */
export class UnknownModelError extends ApiError<'unknown_model'> {
  override get name(): string {
    return 'UnknownModelError';
  }
}

/** 409: Idempotency key reused with a different body. */
export class IdempotencyConflictError extends ApiError<'idempotency_conflict'> {
  override get name(): string {
    return 'IdempotencyConflictError';
  }
}

/** 409: The price changed after the quote. */
export class PriceChangedError extends ApiError<'price_changed'> {
  override get name(): string {
    return 'PriceChangedError';
  }
}

/** 409: The price is higher than maxCoins. */
export class MaxCoinsExceededError extends ApiError<'max_coins_exceeded'> {
  override get name(): string {
    return 'MaxCoinsExceededError';
  }
}

/** 409: The generation can no longer be canceled. */
export class NotCancelableError extends ApiError<'not_cancelable'> {
  override get name(): string {
    return 'NotCancelableError';
  }
}

/** 413: File too large. */
export class UploadTooLargeError extends ApiError<'upload_too_large'> {
  override get name(): string {
    return 'UploadTooLargeError';
  }
}

/** 413: Storage quota exceeded. */
export class StorageQuotaExceededError extends ApiError<'storage_quota_exceeded'> {
  override get name(): string {
    return 'StorageQuotaExceededError';
  }
}

/** 413: Media too long. */
export class UploadTooLongError extends ApiError<'upload_too_long'> {
  override get name(): string {
    return 'UploadTooLongError';
  }
}

/** 413: Stored input too large for the model. */
export class InputFileTooLargeError extends ApiError<'input_file_too_large'> {
  override get name(): string {
    return 'InputFileTooLargeError';
  }
}

/** 413: Download too large. */
export class DownloadTooLargeError extends ApiError<'download_too_large'> {
  override get name(): string {
    return 'DownloadTooLargeError';
  }
}

/** 415: Unsupported or damaged file. */
export class UploadInvalidError extends ApiError<'upload_invalid'> {
  override get name(): string {
    return 'UploadInvalidError';
  }
}

/** 429: Too many requests. */
export class RateLimitedError extends ApiError<'rate_limited'> {
  override get name(): string {
    return 'RateLimitedError';
  }
}

/** 500: Internal error. */
export class InternalError extends ApiError<'internal'> {
  override get name(): string {
    return 'InternalError';
  }
}

/** 503: Service unavailable. */
export class UnavailableError extends ApiError<'unavailable'> {
  override get name(): string {
    return 'UnavailableError';
  }
}

/** 503: Service under maintenance. */
export class MaintenanceError extends ApiError<'maintenance'> {
  override get name(): string {
    return 'MaintenanceError';
  }
}

/** 503: Channel disabled. */
export class ChannelDisabledError extends ApiError<'channel_disabled'> {
  override get name(): string {
    return 'ChannelDisabledError';
  }
}

/** 403: Exploring blocked. */
export class ExploreBlockedError extends ApiError<'explore_blocked'> {
  override get name(): string {
    return 'ExploreBlockedError';
  }
}

/** 429: Exploring limit reached. */
export class ExploreLimitError extends ApiError<'explore_limit'> {
  override get name(): string {
    return 'ExploreLimitError';
  }
}

/** 409: Not shareable. */
export class ExploreNotShareableError extends ApiError<'explore_not_shareable'> {
  override get name(): string {
    return 'ExploreNotShareableError';
  }
}

/** 410: Removed. */
export class ExploreRemovedError extends ApiError<'explore_removed'> {
  override get name(): string {
    return 'ExploreRemovedError';
  }
}

export const problemErrors = {
  invalid_params: InvalidParamsError,
  invalid_quote: InvalidQuoteError,
  idempotency_key_required: IdempotencyKeyRequiredError,
  consent_required: ConsentRequiredError,
  input_too_large: InputTooLargeError,
  input_duration: InputDurationError,
  wrong_media: WrongMediaError,
  unauthorized: UnauthorizedError,
  invalid_api_key: InvalidApiKeyError,
  api_key_revoked: ApiKeyRevokedError,
  api_key_expired: ApiKeyExpiredError,
  insufficient_coins: InsufficientCoinsError,
  spend_cap_exceeded: SpendCapExceededError,
  insufficient_scope: InsufficientScopeError,
  cooldown: CooldownError,
  account_locked: AccountLockedError,
  link_invalid: LinkInvalidError,
  link_expired: LinkExpiredError,
  not_found: NotFoundError,
  unknown_model: UnknownModelError,
  idempotency_conflict: IdempotencyConflictError,
  price_changed: PriceChangedError,
  max_coins_exceeded: MaxCoinsExceededError,
  not_cancelable: NotCancelableError,
  upload_too_large: UploadTooLargeError,
  storage_quota_exceeded: StorageQuotaExceededError,
  upload_too_long: UploadTooLongError,
  input_file_too_large: InputFileTooLargeError,
  download_too_large: DownloadTooLargeError,
  upload_invalid: UploadInvalidError,
  rate_limited: RateLimitedError,
  internal: InternalError,
  unavailable: UnavailableError,
  maintenance: MaintenanceError,
  channel_disabled: ChannelDisabledError,
  explore_blocked: ExploreBlockedError,
  explore_limit: ExploreLimitError,
  explore_not_shareable: ExploreNotShareableError,
  explore_removed: ExploreRemovedError,
} as const;
