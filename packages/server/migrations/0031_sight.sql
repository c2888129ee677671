-- The W3C trace context of the request that submitted a generation, so that its run and its deliveries continue the trace. Null
-- unless the request was traced.
ALTER TABLE generation ADD COLUMN traceparent text CHECK (length(traceparent) = 55);

-- The outcome of the last `verify`, for metrics.
CREATE TABLE books_check (
  single     boolean PRIMARY KEY DEFAULT true CHECK (single),
  checked_at timestamptz NOT NULL,
  checks     integer NOT NULL CHECK (checks > 0),
  violations bigint NOT NULL CHECK (violations >= 0)
);
GRANT SELECT, INSERT, UPDATE ON books_check TO atelier_app;
