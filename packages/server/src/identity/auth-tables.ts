/** The names of the library's models and fields in our tables (migrations 0022 and 0043). */

const dates = { createdAt: 'created_at', updatedAt: 'updated_at' };

export const authTables = {
  user: { modelName: 'person', fields: { ...dates, emailVerified: 'email_verified' } },
  session: {
    modelName: 'person_session',
    fields: {
      ...dates,
      userId: 'person_id',
      token: 'token_hash',
      expiresAt: 'expires_at',
      ipAddress: 'ip_address',
      userAgent: 'user_agent',
    },
  },
  account: {
    modelName: 'person_credential',
    fields: {
      ...dates,
      userId: 'person_id',
      providerId: 'provider_id',
      accountId: 'subject',
      password: 'password_hash',
      accessToken: 'access_token',
      refreshToken: 'refresh_token',
      idToken: 'id_token',
      accessTokenExpiresAt: 'access_token_expires_at',
      refreshTokenExpiresAt: 'refresh_token_expires_at',
    },
  },
  verification: { modelName: 'person_verification', fields: { ...dates, expiresAt: 'expires_at' } },
} as const;

/** The role of the desk has no rights on the sessions and one-time values of the console. */
export const deskTables = {
  ...authTables,
  session: { ...authTables.session, modelName: 'desk_session' },
  verification: { ...authTables.verification, modelName: 'desk_verification' },
} as const;

export const passkeyTables = {
  passkey: {
    modelName: 'person_passkey',
    fields: {
      userId: 'person_id',
      publicKey: 'public_key',
      credentialID: 'credential_id',
      deviceType: 'device_type',
      backedUp: 'backed_up',
      createdAt: 'created_at',
    },
  },
} as const;

export const twoFactorTables = {
  user: { fields: { twoFactorEnabled: 'two_factor_enabled' } },
  twoFactor: {
    modelName: 'person_two_factor',
    fields: {
      userId: 'person_id',
      backupCodes: 'backup_codes',
      failedVerificationCount: 'failed_verification_count',
      lockedUntil: 'locked_until',
    },
  },
} as const;
