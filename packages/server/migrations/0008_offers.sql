-- What the workers can run now: a row per worker and route target, such as local/modnet or comfyui/studio.
-- The API opens the models that someone offers; a worker that stops telling is forgotten after seconds.
CREATE TABLE offer (
  worker  text NOT NULL,
  target  text NOT NULL,
  seen_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (worker, target)
);
GRANT SELECT, INSERT, UPDATE, DELETE ON offer TO atelier_app;
