-- The request of a failed attempt, as it was sent: its receiver is debugged with exactly these bytes. The signature covers
-- them, and links in the body are new at every attempt, so they cannot be rendered again.
ALTER TABLE attempt
  ADD COLUMN sent_url       text,
  ADD COLUMN sent_signature text,
  ADD COLUMN sent_body      text;
GRANT UPDATE (sent_url, sent_signature, sent_body) ON attempt TO atelier_app;
