-- A help desk in PostgreSQL: full text, vectors, and row-level security that decides what a question may see.
CREATE EXTENSION IF NOT EXISTS vector;

CREATE TABLE principals (id text PRIMARY KEY, tenant text, attributes jsonb NOT NULL);

-- `allow` NULL and `tenant` NULL: public. `allow` {}: the whole tenant.
CREATE TABLE documents (id text PRIMARY KEY, title text NOT NULL, tenant text, allow jsonb, revoked boolean NOT NULL);

CREATE TABLE chunks (
  id text COLLATE "C" PRIMARY KEY,
  document text NOT NULL REFERENCES documents ON DELETE CASCADE,
  content text NOT NULL,
  words tsvector NOT NULL,
  embedding vector(256) NOT NULL
);
CREATE INDEX ON chunks USING gin (words);
CREATE INDEX ON chunks (document);

-- Who asks is a setting of the transaction. Nothing set, or an attribute that is not held: nothing shared.
CREATE FUNCTION may_see(tenant text, allow jsonb) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT (tenant IS NULL OR tenant = nullif(current_setting('app.tenant', true), ''))
    AND NOT EXISTS (
      SELECT FROM jsonb_each(coalesce(allow, '{}')) AS rule
      WHERE NOT coalesce(
        coalesce(nullif(current_setting('app.attributes', true), ''), '{}')::jsonb -> rule.key
          ?| ARRAY(SELECT jsonb_array_elements_text(rule.value)),
        false))
$$;

ALTER TABLE documents ENABLE ROW LEVEL SECURITY;
CREATE POLICY asker ON documents FOR SELECT USING (NOT revoked AND may_see(tenant, allow));
-- A chunk is seen with its document: the policy of `documents` holds in this query too.
ALTER TABLE chunks ENABLE ROW LEVEL SECURITY;
CREATE POLICY asker ON chunks FOR SELECT USING (document IN (SELECT id FROM documents));

-- The application's role: no superuser, no owner of the tables, so that the policies apply to it.
GRANT SELECT ON principals, documents, chunks TO app;
