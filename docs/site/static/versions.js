// The other versions that lie beside this one; versions.js at the site's top lists them.
(function () {
  const list = document.getElementById("site-versions");
  for (const name of window.siteVersions || []) {
    if (name !== list.dataset.version) list.add(new Option(name));
  }
  list.disabled = list.options.length < 2;
  list.addEventListener("change", function () {
    window.location.href = list.dataset.root + list.value + "/index.html";
  });
})();
