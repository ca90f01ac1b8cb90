// Where rows and sessions come from: the server, or the elements of a static page.

const held = (id) => {
  const found = document.getElementById(id);
  return found ? JSON.parse(found.textContent) : null;
};

async function get(path) {
  const answer = await fetch(`api/${path}`);
  return answer.json();
}

const isStatic = document.getElementById("listing") !== null;

export const source = {
  isStatic,
  rows: async (from, generation) =>
    isStatic ? { ...held("listing"), from: 0, next: 0, generation: 0 } : get(`rows?from=${from}&generation=${generation}`),
  session: async (id) => (isStatic ? held(`s-${id}`) ?? { problem: "There is no such session in this file." }
    : get(`session?id=${encodeURIComponent(id)}`)),
  dossier: async (id) => (isStatic ? held(`d-${id}`) ?? { problem: "This file was written without diffs and rows, or the session has no score." }
    : get(`dossier?id=${encodeURIComponent(id)}`)),
};
