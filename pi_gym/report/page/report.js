for (const place of document.querySelectorAll(".chart")) {
  const spec = JSON.parse(document.getElementById(place.dataset.spec).textContent);
  window.vegaEmbed(place, spec, { mode: "vega-lite", actions: false, renderer: "svg", ast: true }).catch((error) => {
    place.textContent = `This chart could not be drawn: ${error.message}`;
    console.error(error);
  });
}
