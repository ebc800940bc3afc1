// A help desk's search in Node: the retriever contract as JSON Lines over stdin and stdout.
// With --ties-as-they-come it is broken on purpose.
import { createInterface } from "node:readline";

const tiesAsTheyCome = process.argv.includes("--ties-as-they-come");
const documents = new Map();
const principals = new Map();

const operations = {
  hello: () => ({
    name: "node",
    version: "1",
    capabilities: ["principals", "directory", "seed", "update", "delete", "revoke"],
  }),
  query: ({ query, k, principal }) => ({ hits: isListed(principal) ? search(query, k, principal) : [] }),
  seed: ({ reset, principals: asking, documents: seeded }) => {
    if (reset) {
      documents.clear();
      principals.clear();
    }
    asking.forEach((principal) => principals.set(principal.id, principal));
    seeded.forEach(put);
    return { ok: true };
  },
  update: ({ document }) => {
    put(document);
    return { ok: true };
  },
  delete: ({ documentId }) => {
    documents.delete(documentId);
    return { ok: true };
  },
  // This help desk knows no dates: what is revoked is gone at once.
  revoke: ({ documentId }) => {
    documents.delete(documentId);
    return { ok: true };
  },
};

function put(document) {
  const chunks = document.chunks.map(({ id, content }) => ({ id, words: words(content) }));
  documents.set(document.id, { access: document.access, chunks });
}

// A chunk's score is the share of the question's words that it holds: no other tenant's documents can change it.
function search(query, k, principal) {
  const asked = [...words(query)];
  return [...documents.values()]
    .filter(({ access }) => mayRead(access, principal))
    .flatMap(({ chunks }) => chunks)
    .map((chunk) => ({ id: chunk.id, score: asked.filter((word) => chunk.words.has(word)).length / asked.length }))
    .filter(({ score }) => score >= 0.3)
    .sort((one, other) => other.score - one.score || (tiesAsTheyCome ? 0 : byId(one, other)))
    .slice(0, k);
}

function byId(one, other) {
  return one.id < other.id ? -1 : Number(one.id > other.id);
}

// The tenant must be the same, and of each attribute one value.
function mayRead(access, principal) {
  if (!access) return true;
  if (!principal || (access.tenant !== undefined && access.tenant !== principal.tenant)) return false;
  return Object.entries(access.allow).every(([name, values]) =>
    values.some((value) => (principal.attributes[name] ?? []).includes(value)),
  );
}

// Whether it is who it says: a tenant that is only claimed opens nothing. The public is everybody.
function isListed(principal) {
  return principal === null || JSON.stringify(principals.get(principal.id)) === JSON.stringify(principal);
}

// Words; of Chinese, which is written without spaces, its characters.
function words(text) {
  return new Set(text.toLowerCase().match(/[\u4e00-\u9fff]|[a-z0-9]+/g) ?? []);
}

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  const answer = operations[message.op](message);
  process.stdout.write(`${JSON.stringify({ v: 1, id: message.id, ...answer })}\n`);
}
