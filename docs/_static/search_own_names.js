// Sphinx finds only pages that hold every word. Who pastes a message has names of his own in it ("name 'my_total' is not defined"):
// where nothing is found, the word that stands on the fewest pages is left out, and so on down to one word.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  if (typeof Search === "undefined") return;
  const search = Search._performSearch;
  const countPages = (word) =>
    [Search._index.terms, Search._index.titleterms]
      .map((known) => (Object.hasOwn(known, word) ? [known[word]].flat().length : 0))
      .reduce((sum, pages) => sum + pages);
  Search._performSearch = (query, words, ...more) => {
    let results = search(query, words, ...more);
    while (results.length === 0 && words.size > 1) {
      const rarest = [...words].reduce((one, other) => (countPages(other) < countPages(one) ? other : one));
      words.delete(rarest);
      results = search(query, words, ...more);
    }
    return results;
  };
});
