// Generated from openapi.json by `npm run generate`. Do not edit.

export interface paths {
    "/v1/models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List models
         * @description Returns all available models in display order. Each entry describes the params of the model with their defaults, its input limits and its lowest price. Filter with `taskType`, `modality` and `workspace`. Responses can be cached for one minute.
         */
        get: operations["listModels"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/models/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a model
         * @description Returns the same entry as the list. It also returns unavailable models: `availability` says why. Returns 404 `unknown_model` for an unknown model and for a model after its sunset date.
         */
        get: operations["getModel"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/effects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List effects
         * @description Returns style filters and templates. To run an effect, quote and submit with the `modelId` of the effect and its id as `effectId`. `params` holds the input of the effect (`images` or `video`) and an optional `prompt`.
         */
        get: operations["listEffects"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/quotes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get a quote
         * @description Returns the exact price that a submit charges. The `quoteToken` locks that price for 10 minutes and can be used more than once. After it expires, it is accepted only if the price is still the same. With `draft: true`, required params can be missing, defaults apply, and `quoteToken` is null. `quoteToken` is also null while the model is unavailable: `availability` says why. For a deprecated model the response has `Deprecation` and `Sunset` headers.
         */
        post: operations["createQuote"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/generations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List generations
         * @description Returns the generations of the account, newest first. To get the next page, pass `nextCursor` as `cursor` with the same filters, until it is null.
         */
        get: operations["listGenerations"];
        put?: never;
        /**
         * Create a generation
         * @description Send exactly one of `quoteToken` (charges exactly the quoted coins) and `maxCoins` (charges the current price, fails if it is higher). The coins are held immediately. A new `Idempotency-Key` returns 201. The same key with the same body returns 200 with the original generation and `Idempotency-Replayed: true`, and charges nothing. The same key with a different body returns 409 `idempotency_conflict`. A rejected submit does not use up the key.
         */
        post: operations["createGeneration"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/generations/concurrency": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get concurrency
         * @description Returns how many generations can run at once, and how many are running and queued. Generations above `limit` stay queued until a running one ends.
         */
        get: operations["getConcurrency"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/generations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a generation
         * @description Returns a generation with its status, progress, coins and outputs. Links are signed and short-lived; get the generation again for new ones. Poll no faster than every 2 seconds, as `Retry-After` says until the generation ends, or use webhooks instead.
         */
        get: operations["getGeneration"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/generations/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a generation
         * @description Cancels a queued generation and releases the held coins. After a worker has started it, returns 409 `not_cancelable`.
         */
        post: operations["cancelGeneration"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/uploads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Upload a file
         * @description Send one form field `file`. Images: PNG, JPEG, WebP, at most 20 MB and 8192 px per side. Audio: MP3, WAV, M4A, OGG, at most 50 MB and 10 minutes. Video: MP4, WebM, MOV, at most 200 MB, 60 seconds and 4096 px per side. Pass the `id` in a media param. Uploads are deleted after 30 days.
         */
        post: operations["createUpload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/uploads/resumable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start a resumable upload
         * @description For large files and unreliable connections. Send the chunks in order with PUT, then complete the upload. Received bytes are kept for 24 hours. An account can have 20 resumable uploads open at once. The size limits of `createUpload` apply.
         */
        post: operations["createResumableUpload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/uploads/resumable/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a resumable upload
         * @description Returns how many bytes have been received. After an interruption, resume from `offset`.
         */
        get: operations["getResumableUpload"];
        /**
         * Upload a chunk
         * @description Send the bytes of the chunk as the body, with `Content-Length` and `Content-Type: application/octet-stream`. Only complete chunks are kept: after a broken connection, get the current offset and send the chunk again. Any other offset returns 400 `invalid_params`.
         */
        put: operations["appendResumableUpload"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/uploads/resumable/{id}/complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Complete the upload
         * @description Creates an asset from the uploaded chunks. The file is validated as in `createUpload`. A repeated call returns the same asset.
         */
        post: operations["completeResumableUpload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/assets/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an asset
         * @description Returns an upload or an output. The links are valid for about one hour.
         */
        get: operations["getAsset"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the account
         * @description Returns the balance, the running limit, the rate limits, and the calling key with its spend in this month.
         */
        get: operations["getAccount"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List events
         * @description Returns the events that webhooks deliver, oldest first, for 30 days. Store `nextAfter` and pass it as `after` in the next request, to receive every event even if your webhook endpoint was down.
         */
        get: operations["listEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stream events
         * @description Sends server-sent events. When a generation ends, the stream sends its event type with a WebhookEvent as `data`. To resume without a gap, send the `id` of the last event as `Last-Event-ID` or `after`; without it, the stream starts with new events. `generation.progress` reports id, status, progress and queuePosition of an unfinished generation and has no id. The stream sends a comment every 15 seconds and ends after at most one hour. An account can have five streams open; a further one returns 429 `rate_limited`.
         */
        get: operations["streamEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description An upload or an output file. */
        Asset: {
            /** @description The value of a media param, and the id in GET /v1/assets/{id}. */
            id: string;
            kind: components["schemas"]["AssetKind"];
            /** @description Signed, short-lived download link. */
            url: string;
            /** @description Signed, short-lived link to a small preview image. */
            thumbnailUrl: string;
            posterUrl: string | null;
            mimeType: string;
            width: number | null;
            height: number | null;
            durationSeconds: number | null;
            waveformUrl?: string | null;
            transparent?: boolean;
            downloads?: {
                /** @enum {string} */
                format: "obj" | "fbx" | "usdz" | "stl";
                url: string;
                bytes: number;
            }[];
            /** @enum {string|null} */
            stem?: "vocals" | "drums" | "bass" | "other" | null;
            subtitles?: {
                srtUrl: string;
                vttUrl: string;
            } | null;
            /**
             * Format: date-time
             * @description When the file is deleted.
             */
            expiresAt?: string | null;
        };
        /** @enum {string} */
        AssetKind: "image" | "video" | "audio" | "3d" | "text";
        /** @description Whether the model accepts requests. `reason` is null while `state` is `open`. */
        Availability: {
            state: components["schemas"]["AvailabilityState"];
            reason: components["schemas"]["ClosedReason"] | null;
        };
        /** @enum {string} */
        AvailabilityState: "open" | "closed";
        /** @enum {string} */
        Channel: "web" | "api" | "mcp";
        /**
         * @description `no_worker`: no worker serves the model at the moment. `operator`: the operator disabled it.
         * @enum {string}
         */
        ClosedReason: "no_worker" | "operator";
        Concurrency: {
            /** @description How many generations can run at once. */
            limit: number;
            /** @description The limit after the next upgrade of the account. Null if there is none. */
            raisedLimit: number | null;
            running: number;
            queued: number;
        };
        CreateGenerationBody: components["schemas"]["CreateGenerationWithQuote"] | components["schemas"]["CreateGenerationWithMaxCoins"];
        CreateGenerationWithMaxCoins: {
            modelId: string;
            params: components["schemas"]["ParamValues"];
            /** @description Charge the current price. Fails with `max_coins_exceeded` if the price is higher than this. */
            maxCoins: number;
            projectId?: string | null;
            effectId?: string;
            /** @constant */
            consent?: true;
        };
        CreateGenerationWithQuote: {
            modelId: string;
            params: components["schemas"]["ParamValues"];
            /** @description Charge exactly the quoted coins. Send exactly one of `quoteToken` and `maxCoins`. */
            quoteToken: string;
            projectId?: string | null;
            effectId?: string;
            /** @constant */
            consent?: true;
        };
        CreateQuoteBody: {
            modelId: string;
            params: components["schemas"]["ParamValues"];
            /** @description Price an incomplete request: missing params take their defaults, and `quoteToken` is null. Default: false. */
            draft?: boolean;
            effectId?: string;
        };
        CreateResumableUploadBody: {
            /** @description File size in bytes. */
            bytes: number;
            /**
             * @description Lets the service reject a file that is too large before you send it. The actual type is detected from the content.
             * @enum {string}
             */
            mimeType?: "image/png" | "image/jpeg" | "image/webp" | "audio/mpeg" | "audio/wav" | "audio/mp4" | "audio/ogg" | "video/mp4" | "video/webm" | "video/quicktime";
        };
        Deprecation: {
            /** Format: date-time */
            deprecatedAt: string;
            /**
             * Format: date-time
             * @description When the model is removed.
             */
            sunsetAt: string;
            /** @description The `modelId` to use instead. */
            replacement: string | null;
        };
        Effect: {
            id: string;
            /** @enum {string} */
            kind: "image" | "video";
            /** @enum {string} */
            category: "style" | "template";
            nameKey: string;
            thumbnail: string | null;
            input: components["schemas"]["EffectInput"];
            /** @description The model to use with this effect. */
            modelId: string;
        };
        EffectInput: components["schemas"]["ImagesInput"] | components["schemas"]["VideoInput"];
        EffectsResponse: {
            effects: components["schemas"]["Effect"][];
        };
        EnumParam: {
            name: components["schemas"]["ParamName"];
            required: boolean;
            ui: {
                /** @enum {string} */
                control: "prompt" | "textarea" | "aspect" | "segmented" | "select" | "switch" | "seed" | "image" | "images" | "script" | "lyrics" | "tags" | "voice" | "language" | "slider" | "audio" | "video" | "mask" | "expand" | "effect";
                /** @enum {string} */
                group: "prompt" | "inputs" | "basic" | "advanced";
                order: number;
            };
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "enum";
            values: (string | number | boolean)[];
        };
        EventPage: {
            items: components["schemas"]["WebhookEvent"][];
            /** @description Pass it as `after` to get the events that follow. Null if the account has no events yet. */
            nextAfter: string | null;
            hasMore: boolean;
        };
        /** @enum {string} */
        EventType: "generation.succeeded" | "generation.failed" | "generation.canceled";
        /**
         * @description Why the generation failed. Its coins were refunded.
         * @enum {string}
         */
        FailureCode: "content_policy" | "invalid_input" | "unavailable" | "timeout" | "internal";
        /** @description One paid request to a model, with its status and outputs. */
        Generation: {
            id: string;
            modelId: string;
            modelName: string;
            taskType: components["schemas"]["TaskType"];
            modality: components["schemas"]["Modality"];
            workspace: components["schemas"]["Workspace"];
            effect: {
                id: string;
                text: string | null;
            } | null;
            status: components["schemas"]["GenerationStatus"];
            progress: number | null;
            /** @description Position in the queue of the account; 1 is next. Null unless queued. */
            queuePosition: number | null;
            queueReason?: components["schemas"]["QueueReason"] | null;
            params: components["schemas"]["ParamValues"];
            coinsQuoted: number;
            /** @description Null while queued or processing; 0 when failed or canceled. */
            coinsCharged: number | null;
            outputs: components["schemas"]["Asset"][];
            outputsRequested: number;
            error: {
                code: components["schemas"]["FailureCode"];
                /** @description An explanation to show to people. */
                message?: string;
            } | null;
            projectId: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            startedAt: string | null;
            /** Format: date-time */
            completedAt: string | null;
        };
        GenerationPage: {
            items: components["schemas"]["Generation"][];
            /** @description Null on the last page. */
            nextCursor: string | null;
        };
        /**
         * @description `succeeded`, `failed` and `canceled` are final.
         * @enum {string}
         */
        GenerationStatus: "queued" | "processing" | "succeeded" | "failed" | "canceled";
        ImagesInput: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "images";
            min: number;
            max: number;
        };
        InputLimits: {
            maxOutputPixels?: number;
            maxOutputSide?: number;
            minInputSeconds?: number;
            maxInputSeconds?: number;
            maxInputBytes?: number;
        };
        MediaListParam: {
            name: components["schemas"]["ParamName"];
            required: boolean;
            ui: {
                /** @enum {string} */
                control: "prompt" | "textarea" | "aspect" | "segmented" | "select" | "switch" | "seed" | "image" | "images" | "script" | "lyrics" | "tags" | "voice" | "language" | "slider" | "audio" | "video" | "mask" | "expand" | "effect";
                /** @enum {string} */
                group: "prompt" | "inputs" | "basic" | "advanced";
                order: number;
            };
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "media_list";
            /** @enum {string} */
            accept: "image";
            minItems: number;
            maxItems: number;
        };
        MediaParam: {
            name: components["schemas"]["ParamName"];
            required: boolean;
            ui: {
                /** @enum {string} */
                control: "prompt" | "textarea" | "aspect" | "segmented" | "select" | "switch" | "seed" | "image" | "images" | "script" | "lyrics" | "tags" | "voice" | "language" | "slider" | "audio" | "video" | "mask" | "expand" | "effect";
                /** @enum {string} */
                group: "prompt" | "inputs" | "basic" | "advanced";
                order: number;
            };
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "media";
            /** @enum {string} */
            accept: "image" | "audio" | "video";
        };
        /**
         * @description What a model produces.
         * @enum {string}
         */
        Modality: "image" | "video" | "audio" | "3d";
        /** @description A model: what it does, the params it takes, and whether it accepts requests. */
        Model: {
            /** @description The `modelId` for quotes and submits. */
            id: string;
            /** @description Groups the task variants of one product. */
            listingId: string;
            taskType: components["schemas"]["TaskType"];
            modality: components["schemas"]["Modality"];
            workspace: components["schemas"]["Workspace"];
            vendor: string;
            displayName: string;
            params: components["schemas"]["ParamDescriptor"][];
            defaults: components["schemas"]["ParamValues"];
            /** @description Price of a request that sets only the prompt. Null if such a request is not valid. */
            priceFromCoins: number | null;
            inputLimits?: components["schemas"]["InputLimits"];
            deprecation?: components["schemas"]["Deprecation"] | null;
            consent?: components["schemas"]["ModelConsent"];
            /** @description A short description to show to people. */
            description: string | null;
            availability: components["schemas"]["Availability"];
        };
        /** @description The model changes or imitates a person's likeness or voice: a submit needs `consent: true`. */
        ModelConsent: {
            /** @description Only a submit that sets one of these params needs it. Null: every submit does. */
            when: components["schemas"]["ParamName"][] | null;
        };
        ModelsResponse: {
            models: components["schemas"]["Model"][];
        };
        ParamDescriptor: components["schemas"]["TextParam"] | components["schemas"]["EnumParam"] | components["schemas"]["RangeParam"] | components["schemas"]["SeedParam"] | components["schemas"]["MediaParam"] | components["schemas"]["MediaListParam"];
        /** @enum {string} */
        ParamName: "prompt" | "negative_prompt" | "aspect_ratio" | "resolution" | "duration" | "num_outputs" | "seed" | "images" | "image" | "first_frame" | "last_frame" | "generate_audio" | "upscale_factor" | "mask" | "expand_left" | "expand_right" | "expand_top" | "expand_bottom" | "video" | "audio" | "fps" | "effect" | "text" | "voice" | "language" | "speed" | "lyrics" | "style" | "instrumental" | "stem" | "polycount" | "texture" | "format" | "garment" | "lighting" | "light_direction" | "palette" | "pbr" | "quad" | "geometry_quality" | "texture_quality";
        /** @description A string, a number, a boolean, or an array of strings. A media param takes the id of an upload. */
        ParamValue: string | number | boolean | string[];
        /** @description Param values by name. Omitted params take the default of the model. */
        ParamValues: {
            prompt?: components["schemas"]["ParamValue"];
            negative_prompt?: components["schemas"]["ParamValue"];
            aspect_ratio?: components["schemas"]["ParamValue"];
            resolution?: components["schemas"]["ParamValue"];
            duration?: components["schemas"]["ParamValue"];
            num_outputs?: components["schemas"]["ParamValue"];
            seed?: components["schemas"]["ParamValue"];
            images?: components["schemas"]["ParamValue"];
            image?: components["schemas"]["ParamValue"];
            first_frame?: components["schemas"]["ParamValue"];
            last_frame?: components["schemas"]["ParamValue"];
            generate_audio?: components["schemas"]["ParamValue"];
            upscale_factor?: components["schemas"]["ParamValue"];
            mask?: components["schemas"]["ParamValue"];
            expand_left?: components["schemas"]["ParamValue"];
            expand_right?: components["schemas"]["ParamValue"];
            expand_top?: components["schemas"]["ParamValue"];
            expand_bottom?: components["schemas"]["ParamValue"];
            video?: components["schemas"]["ParamValue"];
            audio?: components["schemas"]["ParamValue"];
            fps?: components["schemas"]["ParamValue"];
            effect?: components["schemas"]["ParamValue"];
            text?: components["schemas"]["ParamValue"];
            voice?: components["schemas"]["ParamValue"];
            language?: components["schemas"]["ParamValue"];
            speed?: components["schemas"]["ParamValue"];
            lyrics?: components["schemas"]["ParamValue"];
            style?: components["schemas"]["ParamValue"];
            instrumental?: components["schemas"]["ParamValue"];
            stem?: components["schemas"]["ParamValue"];
            polycount?: components["schemas"]["ParamValue"];
            texture?: components["schemas"]["ParamValue"];
            format?: components["schemas"]["ParamValue"];
            garment?: components["schemas"]["ParamValue"];
            lighting?: components["schemas"]["ParamValue"];
            light_direction?: components["schemas"]["ParamValue"];
            palette?: components["schemas"]["ParamValue"];
            pbr?: components["schemas"]["ParamValue"];
            quad?: components["schemas"]["ParamValue"];
            geometry_quality?: components["schemas"]["ParamValue"];
            texture_quality?: components["schemas"]["ParamValue"];
        };
        /** @description RFC 9457 problem details. */
        Problem: {
            /** @description Path of the documentation page of this code. */
            type: string;
            title: string;
            status: number;
            detail: string;
            code: components["schemas"]["ProblemCode"];
            /** @description The request id. */
            instance?: string;
            issues?: {
                path: string;
                message: string;
            }[];
        };
        /**
         * @description Stable: branch on it. New codes may be added.
         * @enum {string}
         */
        ProblemCode: "invalid_params" | "invalid_quote" | "idempotency_key_required" | "consent_required" | "input_too_large" | "input_duration" | "wrong_media" | "unauthorized" | "invalid_api_key" | "api_key_revoked" | "api_key_expired" | "insufficient_coins" | "spend_cap_exceeded" | "insufficient_scope" | "cooldown" | "account_locked" | "link_invalid" | "link_expired" | "not_found" | "unknown_model" | "idempotency_conflict" | "price_changed" | "max_coins_exceeded" | "not_cancelable" | "upload_too_large" | "storage_quota_exceeded" | "upload_too_long" | "input_file_too_large" | "download_too_large" | "upload_invalid" | "rate_limited" | "internal" | "unavailable" | "maintenance" | "channel_disabled" | "explore_blocked" | "explore_limit" | "explore_not_shareable" | "explore_removed";
        PublicAccount: {
            balance: {
                /** @description Can be negative after an adjustment by the operator. */
                available: number;
                held: number;
            };
            concurrency: components["schemas"]["Concurrency"];
            rateLimits: {
                key: {
                    limit: number;
                    windowSeconds: number;
                };
                account: {
                    limit: number;
                    windowSeconds: number;
                };
            };
            key: {
                id: string;
                name: string;
                scopes: components["schemas"]["Scope"][];
                monthlySpendCapCoins: number | null;
                /** @description Coins that one request with this key may cost. */
                requestCapCoins: number | null;
                /** @description Coins captured and coins still held in this UTC month. */
                spentThisMonthCoins: number;
                /** Format: date-time */
                expiresAt: string | null;
            } | null;
            channel: components["schemas"]["Channel"];
        };
        /**
         * @description Why the generation is queued. `account_limit`: the account has reached its running limit. `capacity`: all workers are busy. `no_worker`: no worker serves the model.
         * @enum {string}
         */
        QueueReason: "account_limit" | "capacity" | "no_worker";
        QuoteResponse: {
            modelId: string;
            /** @description Total price. A submit charges exactly this. */
            coins: number;
            coinsPerOutput: number;
            outputs: number;
            /** @description Null for a draft, and while the model is unavailable; `availability` says why. */
            quoteToken: string | null;
            /** Format: date-time */
            expiresAt: string;
            availableCoins: number;
            availability: components["schemas"]["Availability"];
            /** @description Line items that make up the price of one output. */
            lines?: {
                label: string;
                coins: number;
            }[];
        };
        RangeParam: {
            name: components["schemas"]["ParamName"];
            required: boolean;
            ui: {
                /** @enum {string} */
                control: "prompt" | "textarea" | "aspect" | "segmented" | "select" | "switch" | "seed" | "image" | "images" | "script" | "lyrics" | "tags" | "voice" | "language" | "slider" | "audio" | "video" | "mask" | "expand" | "effect";
                /** @enum {string} */
                group: "prompt" | "inputs" | "basic" | "advanced";
                order: number;
            };
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "range";
            min: number;
            max: number;
            step: number;
        };
        /** @description A file uploaded in chunks. It becomes an asset when you complete the upload. */
        ResumableUpload: {
            /** @description Id of the resumable upload. The asset gets a different id. */
            id: string;
            /** @description File size in bytes. */
            bytes: number;
            /** @description Bytes received so far: where the next chunk starts. */
            offset: number;
            /** @description Maximum chunk size. The minimum is 1 MB, except for the last chunk. */
            chunkBytes: number;
            /**
             * Format: date-time
             * @description When the received bytes are deleted, unless the upload is completed before.
             */
            expiresAt: string;
        };
        /** @enum {string} */
        Scope: "generate" | "read" | "uploads" | "account";
        SeedParam: {
            name: components["schemas"]["ParamName"];
            required: boolean;
            ui: {
                /** @enum {string} */
                control: "prompt" | "textarea" | "aspect" | "segmented" | "select" | "switch" | "seed" | "image" | "images" | "script" | "lyrics" | "tags" | "voice" | "language" | "slider" | "audio" | "video" | "mask" | "expand" | "effect";
                /** @enum {string} */
                group: "prompt" | "inputs" | "basic" | "advanced";
                order: number;
            };
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "seed";
            max: number;
        };
        /**
         * @description What a model does.
         * @enum {string}
         */
        TaskType: "image.generate" | "image.edit" | "video.generate" | "video.animate" | "image.upscale" | "image.remove-bg" | "image.inpaint" | "image.outpaint" | "image.relight" | "image.vectorize" | "image.restore" | "image.effect" | "video.v2v" | "video.extend" | "video.upscale" | "video.interpolate" | "video.remove-bg" | "video.add-audio" | "video.lipsync" | "video.effect" | "video.reframe" | "audio.tts" | "audio.music" | "audio.sfx" | "audio.voice-change" | "audio.isolate" | "audio.stt" | "3d.from-text" | "3d.from-image" | "image.erase" | "image.reframe" | "image.sketch" | "image.restyle" | "image.colorize" | "image.retouch" | "image.product-shot" | "image.replace-bg" | "image.try-on";
        TextParam: {
            name: components["schemas"]["ParamName"];
            required: boolean;
            ui: {
                /** @enum {string} */
                control: "prompt" | "textarea" | "aspect" | "segmented" | "select" | "switch" | "seed" | "image" | "images" | "script" | "lyrics" | "tags" | "voice" | "language" | "slider" | "audio" | "video" | "mask" | "expand" | "effect";
                /** @enum {string} */
                group: "prompt" | "inputs" | "basic" | "advanced";
                order: number;
            };
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "text";
            /** @description In Unicode code points. */
            maxLength: number;
            /** @description In Unicode code points. At least 1 for a required text. */
            minLength?: number;
        };
        VideoInput: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "video";
        };
        WebhookEvent: {
            /** @description The same on every retry. Use it to deduplicate. */
            id: string;
            type: components["schemas"]["EventType"];
            /** Format: date-time */
            createdAt: string;
            /**
             * @description Present only on a test event sent manually to an endpoint. The generation does not exist.
             * @constant
             */
            test?: true;
            data: {
                generation: components["schemas"]["Generation"];
            };
        };
        /**
         * @description The section of a user interface in which to show the model.
         * @enum {string}
         */
        Workspace: "image" | "video" | "audio" | "3d" | "tools";
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: {
        /**
         * @description Requests allowed in the window of the key or of the account: of the one with fewer requests left.
         * @example 120
         */
        "RateLimit-Limit": number;
        /**
         * @description Requests left in that window.
         * @example 117
         */
        "RateLimit-Remaining": number;
        /**
         * @description Seconds until that window resets.
         * @example 42
         */
        "RateLimit-Reset": number;
        /**
         * @description Limit and window: `<limit>;w=<seconds>`.
         * @example 120;w=60
         */
        "RateLimit-Policy": string;
        /**
         * @description Seconds to wait before the next request.
         * @example 2
         */
        "Retry-After": number;
        /**
         * @description The authentication scheme.
         * @example Bearer realm="atelier"
         */
        "WWW-Authenticate": string;
        /**
         * @description `true` if the response is the result of an earlier request with the same key and body; otherwise absent.
         * @example true
         */
        "Idempotency-Replayed": "true";
        /**
         * @description Identifies this version of the response. Send it as `If-None-Match`.
         * @example "mq1Tz0hYw8nVJ4rK2cXa5g"
         */
        ETag: string;
        /**
         * @description How long the response may be reused, also by shared caches.
         * @example public, max-age=60
         */
        "Cache-Control": string;
        /**
         * @description Deprecated models only: the deprecation date as `@<unix seconds>` (RFC 9745).
         * @example @1767225600
         */
        Deprecation: string;
        /**
         * @description Deprecated models only: the removal date as an HTTP date (RFC 8594). After it, the model is `unknown_model`.
         * @example Sun, 01 Mar 2026 00:00:00 GMT
         */
        Sunset: string;
        /**
         * @description Deprecated models with a replacement only: its path, with `rel="successor-version"`.
         * @example </v1/models/real-esrgan-x2>; rel="successor-version"
         */
        Link: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listModels: {
        parameters: {
            query?: {
                /** @example image.upscale */
                taskType?: components["schemas"]["TaskType"];
                modality?: components["schemas"]["Modality"];
                workspace?: components["schemas"]["Workspace"];
            };
            header?: {
                /**
                 * @description The `ETag` of an earlier response. If nothing has changed, the response is 304 without a body.
                 * @example "mq1Tz0hYw8nVJ4rK2cXa5g"
                 */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "models": [
                     *         {
                     *           "id": "real-esrgan-x2",
                     *           "listingId": "real-esrgan",
                     *           "taskType": "image.upscale",
                     *           "modality": "image",
                     *           "workspace": "tools",
                     *           "vendor": "Real-ESRGAN",
                     *           "displayName": "Real-ESRGAN upscale",
                     *           "params": [
                     *             {
                     *               "name": "image",
                     *               "required": true,
                     *               "ui": {
                     *                 "control": "image",
                     *                 "group": "inputs",
                     *                 "order": 1
                     *               },
                     *               "kind": "media",
                     *               "accept": "image"
                     *             },
                     *             {
                     *               "name": "upscale_factor",
                     *               "required": false,
                     *               "ui": {
                     *                 "control": "segmented",
                     *                 "group": "basic",
                     *                 "order": 2
                     *               },
                     *               "kind": "enum",
                     *               "values": [
                     *                 2,
                     *                 4
                     *               ]
                     *             }
                     *           ],
                     *           "defaults": {
                     *             "upscale_factor": 2
                     *           },
                     *           "priceFromCoins": null,
                     *           "inputLimits": {
                     *             "maxInputBytes": 20000000,
                     *             "maxOutputPixels": 16777216
                     *           },
                     *           "description": "Upscales and sharpens an image.",
                     *           "availability": {
                     *             "state": "open",
                     *             "reason": null
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ModelsResponse"];
                };
            };
            /** @description Not changed. No body. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getModel: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` of an earlier response. If nothing has changed, the response is 304 without a body.
                 * @example "mq1Tz0hYw8nVJ4rK2cXa5g"
                 */
                "If-None-Match"?: string;
            };
            path: {
                /**
                 * @description The model id.
                 * @example real-esrgan-x2
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "real-esrgan-x2",
                     *       "listingId": "real-esrgan",
                     *       "taskType": "image.upscale",
                     *       "modality": "image",
                     *       "workspace": "tools",
                     *       "vendor": "Real-ESRGAN",
                     *       "displayName": "Real-ESRGAN upscale",
                     *       "params": [
                     *         {
                     *           "name": "image",
                     *           "required": true,
                     *           "ui": {
                     *             "control": "image",
                     *             "group": "inputs",
                     *             "order": 1
                     *           },
                     *           "kind": "media",
                     *           "accept": "image"
                     *         },
                     *         {
                     *           "name": "upscale_factor",
                     *           "required": false,
                     *           "ui": {
                     *             "control": "segmented",
                     *             "group": "basic",
                     *             "order": 2
                     *           },
                     *           "kind": "enum",
                     *           "values": [
                     *             2,
                     *             4
                     *           ]
                     *         }
                     *       ],
                     *       "defaults": {
                     *         "upscale_factor": 2
                     *       },
                     *       "priceFromCoins": null,
                     *       "inputLimits": {
                     *         "maxInputBytes": 20000000,
                     *         "maxOutputPixels": 16777216
                     *       },
                     *       "description": "Upscales and sharpens an image.",
                     *       "availability": {
                     *         "state": "closed",
                     *         "reason": "no_worker"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Model"];
                };
            };
            /** @description Not changed. No body. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listEffects: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` of an earlier response. If nothing has changed, the response is 304 without a body.
                 * @example "mq1Tz0hYw8nVJ4rK2cXa5g"
                 */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "effects": [
                     *         {
                     *           "id": "cubism",
                     *           "kind": "image",
                     *           "category": "style",
                     *           "nameKey": "effects.cubism.name",
                     *           "thumbnail": "https://api.example.com/effects/cubism.webp",
                     *           "input": {
                     *             "type": "images",
                     *             "min": 1,
                     *             "max": 1
                     *           },
                     *           "modelId": "gmic-effects"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["EffectsResponse"];
                };
            };
            /** @description Not changed. No body. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    createQuote: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "modelId": "real-esrgan-x2",
                 *       "params": {
                 *         "image": "0198a1c1-e2b7-7a10-8f4d-9b63c0e5d7a2",
                 *         "upscale_factor": 2
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["CreateQuoteBody"];
            };
        };
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "modelId": "real-esrgan-x2",
                     *       "coins": 65,
                     *       "coinsPerOutput": 65,
                     *       "outputs": 1,
                     *       "quoteToken": "q1.eyJjIjoxMiwibyI6MX0.Zk7m2Yw1cT9uQxR4",
                     *       "expiresAt": "2026-01-05T09:40:30.000Z",
                     *       "availableCoins": 880,
                     *       "availability": {
                     *         "state": "open",
                     *         "reason": null
                     *       },
                     *       "lines": [
                     *         {
                     *           "label": "Base price",
                     *           "coins": 2
                     *         },
                     *         {
                     *           "label": "Picture size: 0.79 megapixels",
                     *           "coins": 63
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["QuoteResponse"];
                };
            };
        };
    };
    listGenerations: {
        parameters: {
            query?: {
                /** @description `nextCursor` of the previous page. */
                cursor?: string;
                /** @example 30 */
                limit?: number;
                /** @example succeeded */
                status?: components["schemas"]["GenerationStatus"];
                /** @example image */
                modality?: components["schemas"]["Modality"];
                workspace?: components["schemas"]["Workspace"];
                modelId?: string;
                /** @description Return only queued and processing generations. False has no effect. */
                active?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "0198a1c3-0d4f-7b62-a3f8-51c7e9d20b14",
                     *           "modelId": "real-esrgan-x2",
                     *           "modelName": "Real-ESRGAN upscale",
                     *           "taskType": "image.upscale",
                     *           "modality": "image",
                     *           "workspace": "tools",
                     *           "effect": null,
                     *           "status": "succeeded",
                     *           "progress": 1,
                     *           "queuePosition": null,
                     *           "queueReason": null,
                     *           "params": {
                     *             "image": "0198a1c1-e2b7-7a10-8f4d-9b63c0e5d7a2",
                     *             "upscale_factor": 2
                     *           },
                     *           "coinsQuoted": 65,
                     *           "coinsCharged": 65,
                     *           "outputs": [
                     *             {
                     *               "id": "0198a1c3-3c9a-7e85-b017-2d84f6a1c39e",
                     *               "kind": "image",
                     *               "url": "https://cdn.example.com/v1/0198a1c3-3c9a-7e85-b017-2d84f6a1c39e/file?e=1767609062&k=4fca&s=OEtTakv1dER6kobc29u07Tnpb8HxWL517PcmJzwxxK0",
                     *               "thumbnailUrl": "https://cdn.example.com/v1/0198a1c3-3c9a-7e85-b017-2d84f6a1c39e/thumbnail?e=1767609062&k=4fca&s=OEtTakv1dER6kobc29u07Tnpb8HxWL517PcmJzwxxK0",
                     *               "posterUrl": null,
                     *               "mimeType": "image/png",
                     *               "width": 2048,
                     *               "height": 1536,
                     *               "durationSeconds": null,
                     *               "expiresAt": "2026-04-05T09:31:02.000Z"
                     *             }
                     *           ],
                     *           "outputsRequested": 1,
                     *           "error": null,
                     *           "projectId": "spring-catalogue",
                     *           "createdAt": "2026-01-05T09:30:40.000Z",
                     *           "startedAt": "2026-01-05T09:30:41.000Z",
                     *           "completedAt": "2026-01-05T09:31:02.000Z"
                     *         }
                     *       ],
                     *       "nextCursor": "c1.eyJiIjoiMDE5OGExYzMifQ.9fJ2vKq7"
                     *     }
                     */
                    "application/json": components["schemas"]["GenerationPage"];
                };
            };
        };
    };
    createGeneration: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description A random value for each intended generation. Send the same value on every retry. Keys are scoped to the account.
                 * @example b3f1c0de-6a55-4f0e-9d3c-1f2e7a90c4d8
                 */
                "Idempotency-Key": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "modelId": "real-esrgan-x2",
                 *       "params": {
                 *         "image": "0198a1c1-e2b7-7a10-8f4d-9b63c0e5d7a2",
                 *         "upscale_factor": 2
                 *       },
                 *       "quoteToken": "q1.eyJjIjoxMiwibyI6MX0.Zk7m2Yw1cT9uQxR4",
                 *       "projectId": "spring-catalogue"
                 *     }
                 */
                "application/json": components["schemas"]["CreateGenerationBody"];
            };
        };
        responses: {
            /** @description Repeated request with the same key and body: the original generation. Nothing is charged again. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    Link: components["headers"]["Link"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0198a1c3-0d4f-7b62-a3f8-51c7e9d20b14",
                     *       "modelId": "real-esrgan-x2",
                     *       "modelName": "Real-ESRGAN upscale",
                     *       "taskType": "image.upscale",
                     *       "modality": "image",
                     *       "workspace": "tools",
                     *       "effect": null,
                     *       "status": "processing",
                     *       "progress": 0.4,
                     *       "queuePosition": null,
                     *       "queueReason": null,
                     *       "params": {
                     *         "image": "0198a1c1-e2b7-7a10-8f4d-9b63c0e5d7a2",
                     *         "upscale_factor": 2
                     *       },
                     *       "coinsQuoted": 65,
                     *       "coinsCharged": null,
                     *       "outputs": [],
                     *       "outputsRequested": 1,
                     *       "error": null,
                     *       "projectId": "spring-catalogue",
                     *       "createdAt": "2026-01-05T09:30:40.000Z",
                     *       "startedAt": "2026-01-05T09:30:41.000Z",
                     *       "completedAt": null
                     *     }
                     */
                    "application/json": components["schemas"]["Generation"];
                };
            };
            /** @description Created. */
            201: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0198a1c3-0d4f-7b62-a3f8-51c7e9d20b14",
                     *       "modelId": "real-esrgan-x2",
                     *       "modelName": "Real-ESRGAN upscale",
                     *       "taskType": "image.upscale",
                     *       "modality": "image",
                     *       "workspace": "tools",
                     *       "effect": null,
                     *       "status": "queued",
                     *       "progress": null,
                     *       "queuePosition": 1,
                     *       "queueReason": "capacity",
                     *       "params": {
                     *         "image": "0198a1c1-e2b7-7a10-8f4d-9b63c0e5d7a2",
                     *         "upscale_factor": 2
                     *       },
                     *       "coinsQuoted": 65,
                     *       "coinsCharged": null,
                     *       "outputs": [],
                     *       "outputsRequested": 1,
                     *       "error": null,
                     *       "projectId": "spring-catalogue",
                     *       "createdAt": "2026-01-05T09:30:40.000Z",
                     *       "startedAt": null,
                     *       "completedAt": null
                     *     }
                     */
                    "application/json": components["schemas"]["Generation"];
                };
            };
        };
    };
    getConcurrency: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "limit": 4,
                     *       "raisedLimit": 8,
                     *       "running": 1,
                     *       "queued": 0
                     *     }
                     */
                    "application/json": components["schemas"]["Concurrency"];
                };
            };
        };
    };
    getGeneration: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0198a1c3-0d4f-7b62-a3f8-51c7e9d20b14 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0198a1c3-0d4f-7b62-a3f8-51c7e9d20b14",
                     *       "modelId": "real-esrgan-x2",
                     *       "modelName": "Real-ESRGAN upscale",
                     *       "taskType": "image.upscale",
                     *       "modality": "image",
                     *       "workspace": "tools",
                     *       "effect": null,
                     *       "status": "succeeded",
                     *       "progress": 1,
                     *       "queuePosition": null,
                     *       "queueReason": null,
                     *       "params": {
                     *         "image": "0198a1c1-e2b7-7a10-8f4d-9b63c0e5d7a2",
                     *         "upscale_factor": 2
                     *       },
                     *       "coinsQuoted": 65,
                     *       "coinsCharged": 65,
                     *       "outputs": [
                     *         {
                     *           "id": "0198a1c3-3c9a-7e85-b017-2d84f6a1c39e",
                     *           "kind": "image",
                     *           "url": "https://cdn.example.com/v1/0198a1c3-3c9a-7e85-b017-2d84f6a1c39e/file?e=1767609062&k=4fca&s=OEtTakv1dER6kobc29u07Tnpb8HxWL517PcmJzwxxK0",
                     *           "thumbnailUrl": "https://cdn.example.com/v1/0198a1c3-3c9a-7e85-b017-2d84f6a1c39e/thumbnail?e=1767609062&k=4fca&s=OEtTakv1dER6kobc29u07Tnpb8HxWL517PcmJzwxxK0",
                     *           "posterUrl": null,
                     *           "mimeType": "image/png",
                     *           "width": 2048,
                     *           "height": 1536,
                     *           "durationSeconds": null,
                     *           "expiresAt": "2026-04-05T09:31:02.000Z"
                     *         }
                     *       ],
                     *       "outputsRequested": 1,
                     *       "error": null,
                     *       "projectId": "spring-catalogue",
                     *       "createdAt": "2026-01-05T09:30:40.000Z",
                     *       "startedAt": "2026-01-05T09:30:41.000Z",
                     *       "completedAt": "2026-01-05T09:31:02.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Generation"];
                };
            };
        };
    };
    cancelGeneration: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0198a1c3-0d4f-7b62-a3f8-51c7e9d20b14 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0198a1c3-0d4f-7b62-a3f8-51c7e9d20b14",
                     *       "modelId": "real-esrgan-x2",
                     *       "modelName": "Real-ESRGAN upscale",
                     *       "taskType": "image.upscale",
                     *       "modality": "image",
                     *       "workspace": "tools",
                     *       "effect": null,
                     *       "status": "canceled",
                     *       "progress": null,
                     *       "queuePosition": null,
                     *       "queueReason": null,
                     *       "params": {
                     *         "image": "0198a1c1-e2b7-7a10-8f4d-9b63c0e5d7a2",
                     *         "upscale_factor": 2
                     *       },
                     *       "coinsQuoted": 65,
                     *       "coinsCharged": 0,
                     *       "outputs": [],
                     *       "outputsRequested": 1,
                     *       "error": null,
                     *       "projectId": "spring-catalogue",
                     *       "createdAt": "2026-01-05T09:30:40.000Z",
                     *       "startedAt": null,
                     *       "completedAt": "2026-01-05T09:30:44.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Generation"];
                };
            };
        };
    };
    createUpload: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "file": "portrait.jpg"
                 *     }
                 */
                "multipart/form-data": {
                    /**
                     * Format: binary
                     * @description The file. Its type is detected from its content.
                     */
                    file: string;
                };
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0198a1c1-e2b7-7a10-8f4d-9b63c0e5d7a2",
                     *       "kind": "image",
                     *       "url": "https://cdn.example.com/v1/0198a1c1-e2b7-7a10-8f4d-9b63c0e5d7a2/file?e=1767609062&k=4fca&s=OEtTakv1dER6kobc29u07Tnpb8HxWL517PcmJzwxxK0",
                     *       "thumbnailUrl": "https://cdn.example.com/v1/0198a1c1-e2b7-7a10-8f4d-9b63c0e5d7a2/thumbnail?e=1767609062&k=4fca&s=OEtTakv1dER6kobc29u07Tnpb8HxWL517PcmJzwxxK0",
                     *       "posterUrl": null,
                     *       "mimeType": "image/jpeg",
                     *       "width": 1024,
                     *       "height": 768,
                     *       "durationSeconds": null,
                     *       "expiresAt": "2026-02-04T09:30:01.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Asset"];
                };
            };
        };
    };
    createResumableUpload: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "bytes": 150000000,
                 *       "mimeType": "video/mp4"
                 *     }
                 */
                "application/json": components["schemas"]["CreateResumableUploadBody"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0198a1c0-77d1-7c3e-9a52-3be8d1f04c66",
                     *       "bytes": 150000000,
                     *       "offset": 0,
                     *       "chunkBytes": 16777216,
                     *       "expiresAt": "2026-01-06T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["ResumableUpload"];
                };
            };
        };
    };
    getResumableUpload: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0198a1c0-77d1-7c3e-9a52-3be8d1f04c66 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0198a1c0-77d1-7c3e-9a52-3be8d1f04c66",
                     *       "bytes": 150000000,
                     *       "offset": 33554432,
                     *       "chunkBytes": 16777216,
                     *       "expiresAt": "2026-01-06T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["ResumableUpload"];
                };
            };
        };
    };
    appendResumableUpload: {
        parameters: {
            query: {
                /**
                 * @description Where the chunk starts: the number of bytes received so far.
                 * @example 16777216
                 */
                offset: number;
            };
            header?: never;
            path: {
                /** @example 0198a1c0-77d1-7c3e-9a52-3be8d1f04c66 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example ... */
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0198a1c0-77d1-7c3e-9a52-3be8d1f04c66",
                     *       "bytes": 150000000,
                     *       "offset": 33554432,
                     *       "chunkBytes": 16777216,
                     *       "expiresAt": "2026-01-06T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["ResumableUpload"];
                };
            };
        };
    };
    completeResumableUpload: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0198a1c0-77d1-7c3e-9a52-3be8d1f04c66 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0198a1c1-e2b7-7a10-8f4d-9b63c0e5d7a2",
                     *       "kind": "image",
                     *       "url": "https://cdn.example.com/v1/0198a1c1-e2b7-7a10-8f4d-9b63c0e5d7a2/file?e=1767609062&k=4fca&s=OEtTakv1dER6kobc29u07Tnpb8HxWL517PcmJzwxxK0",
                     *       "thumbnailUrl": "https://cdn.example.com/v1/0198a1c1-e2b7-7a10-8f4d-9b63c0e5d7a2/thumbnail?e=1767609062&k=4fca&s=OEtTakv1dER6kobc29u07Tnpb8HxWL517PcmJzwxxK0",
                     *       "posterUrl": null,
                     *       "mimeType": "image/jpeg",
                     *       "width": 1024,
                     *       "height": 768,
                     *       "durationSeconds": null,
                     *       "expiresAt": "2026-02-04T09:30:01.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Asset"];
                };
            };
        };
    };
    getAsset: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0198a1c3-3c9a-7e85-b017-2d84f6a1c39e */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0198a1c3-3c9a-7e85-b017-2d84f6a1c39e",
                     *       "kind": "image",
                     *       "url": "https://cdn.example.com/v1/0198a1c3-3c9a-7e85-b017-2d84f6a1c39e/file?e=1767609062&k=4fca&s=OEtTakv1dER6kobc29u07Tnpb8HxWL517PcmJzwxxK0",
                     *       "thumbnailUrl": "https://cdn.example.com/v1/0198a1c3-3c9a-7e85-b017-2d84f6a1c39e/thumbnail?e=1767609062&k=4fca&s=OEtTakv1dER6kobc29u07Tnpb8HxWL517PcmJzwxxK0",
                     *       "posterUrl": null,
                     *       "mimeType": "image/png",
                     *       "width": 2048,
                     *       "height": 1536,
                     *       "durationSeconds": null,
                     *       "expiresAt": "2026-04-05T09:31:02.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Asset"];
                };
            };
        };
    };
    getAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "balance": {
                     *         "available": 815,
                     *         "held": 65
                     *       },
                     *       "concurrency": {
                     *         "limit": 4,
                     *         "raisedLimit": 8,
                     *         "running": 1,
                     *         "queued": 0
                     *       },
                     *       "rateLimits": {
                     *         "key": {
                     *           "limit": 120,
                     *           "windowSeconds": 60
                     *         },
                     *         "account": {
                     *           "limit": 300,
                     *           "windowSeconds": 60
                     *         }
                     *       },
                     *       "key": {
                     *         "id": "01989f00-4c1d-7d29-8b36-7f0a5e91c2d4",
                     *         "name": "Shop backend",
                     *         "scopes": [
                     *           "generate",
                     *           "read",
                     *           "uploads",
                     *           "account"
                     *         ],
                     *         "monthlySpendCapCoins": 5000,
                     *         "requestCapCoins": 100,
                     *         "spentThisMonthCoins": 132,
                     *         "expiresAt": null
                     *       },
                     *       "channel": "api"
                     *     }
                     */
                    "application/json": components["schemas"]["PublicAccount"];
                };
            };
        };
    };
    listEvents: {
        parameters: {
            query?: {
                /**
                 * @description `nextAfter` of the previous page.
                 * @example e1.eyJhIjoiMDE5OGExYzMifQ.Kt4sW8bP
                 */
                after?: string;
                /** @example 30 */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "0198a1c3-6127-7f3b-9c48-e05d7b2a64f1",
                     *           "type": "generation.succeeded",
                     *           "createdAt": "2026-01-05T09:31:02.000Z",
                     *           "data": {
                     *             "generation": {
                     *               "id": "0198a1c3-0d4f-7b62-a3f8-51c7e9d20b14",
                     *               "modelId": "real-esrgan-x2",
                     *               "modelName": "Real-ESRGAN upscale",
                     *               "taskType": "image.upscale",
                     *               "modality": "image",
                     *               "workspace": "tools",
                     *               "effect": null,
                     *               "status": "succeeded",
                     *               "progress": 1,
                     *               "queuePosition": null,
                     *               "queueReason": null,
                     *               "params": {
                     *                 "image": "0198a1c1-e2b7-7a10-8f4d-9b63c0e5d7a2",
                     *                 "upscale_factor": 2
                     *               },
                     *               "coinsQuoted": 65,
                     *               "coinsCharged": 65,
                     *               "outputs": [
                     *                 {
                     *                   "id": "0198a1c3-3c9a-7e85-b017-2d84f6a1c39e",
                     *                   "kind": "image",
                     *                   "url": "https://cdn.example.com/v1/0198a1c3-3c9a-7e85-b017-2d84f6a1c39e/file?e=1767609062&k=4fca&s=OEtTakv1dER6kobc29u07Tnpb8HxWL517PcmJzwxxK0",
                     *                   "thumbnailUrl": "https://cdn.example.com/v1/0198a1c3-3c9a-7e85-b017-2d84f6a1c39e/thumbnail?e=1767609062&k=4fca&s=OEtTakv1dER6kobc29u07Tnpb8HxWL517PcmJzwxxK0",
                     *                   "posterUrl": null,
                     *                   "mimeType": "image/png",
                     *                   "width": 2048,
                     *                   "height": 1536,
                     *                   "durationSeconds": null,
                     *                   "expiresAt": "2026-04-05T09:31:02.000Z"
                     *                 }
                     *               ],
                     *               "outputsRequested": 1,
                     *               "error": null,
                     *               "projectId": "spring-catalogue",
                     *               "createdAt": "2026-01-05T09:30:40.000Z",
                     *               "startedAt": "2026-01-05T09:30:41.000Z",
                     *               "completedAt": "2026-01-05T09:31:02.000Z"
                     *             }
                     *           }
                     *         }
                     *       ],
                     *       "nextAfter": "e1.eyJhIjoiMDE5OGExYzQifQ.Vd2nLx6R",
                     *       "hasMore": false
                     *     }
                     */
                    "application/json": components["schemas"]["EventPage"];
                };
            };
        };
    };
    streamEvents: {
        parameters: {
            query?: {
                /**
                 * @description Where to resume: a `nextAfter` of the list or an event id of the stream. `Last-Event-ID` takes precedence.
                 * @example e1.eyJhIjoiMDE5OGExYzMifQ.Kt4sW8bP
                 */
                after?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example event: generation.progress
                     *     data: {"id":"0198a1c3-0d4f-7b62-a3f8-51c7e9d20b14","status":"processing","progress":0.4,"queuePosition":null}
                     *
                     *     id: e1.eyJhIjoiMDE5OGExYzQifQ.Vd2nLx6R
                     *     event: generation.succeeded
                     *     data: {"id":"0198a1c3-6127-7f3b-9c48-e05d7b2a64f1","type":"generation.succeeded","createdAt":"2026-01-05T09:31:02.000Z","data":{"generation":{"id":"0198a1c3-0d4f-7b62-a3f8-51c7e9d20b14","modelId":"real-esrgan-x2","modelName":"Real-ESRGAN upscale","taskType":"image.upscale","modality":"image","workspace":"tools","effect":null,"status":"succeeded","progress":1,"queuePosition":null,"queueReason":null,"params":{"image":"0198a1c1-e2b7-7a10-8f4d-9b63c0e5d7a2","upscale_factor":2},"coinsQuoted":65,"coinsCharged":65,"outputs":[{"id":"0198a1c3-3c9a-7e85-b017-2d84f6a1c39e","kind":"image","url":"https://cdn.example.com/v1/0198a1c3-3c9a-7e85-b017-2d84f6a1c39e/file?e=1767609062&k=4fca&s=OEtTakv1dER6kobc29u07Tnpb8HxWL517PcmJzwxxK0","thumbnailUrl":"https://cdn.example.com/v1/0198a1c3-3c9a-7e85-b017-2d84f6a1c39e/thumbnail?e=1767609062&k=4fca&s=OEtTakv1dER6kobc29u07Tnpb8HxWL517PcmJzwxxK0","posterUrl":null,"mimeType":"image/png","width":2048,"height":1536,"durationSeconds":null,"expiresAt":"2026-04-05T09:31:02.000Z"}],"outputsRequested":1,"error":null,"projectId":"spring-catalogue","createdAt":"2026-01-05T09:30:40.000Z","startedAt":"2026-01-05T09:30:41.000Z","completedAt":"2026-01-05T09:31:02.000Z"}}}
                     */
                    "text/event-stream": string;
                };
            };
        };
    };
}
