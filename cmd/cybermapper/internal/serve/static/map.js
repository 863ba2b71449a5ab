"use strict";
// The map is laid out by the server; here it is drawn. What the web says is text: sigma draws labels on a canvas.
const box = document.getElementById("map");
const dark = matchMedia("(prefers-color-scheme: dark)");
const states = () => dark.matches
  ? { page: "#6fbcd6", noindex: "#b9a1f0", refused: "#e5a04b", dead: "#f0968b", redirect: "#86c796", other: "#98a4af" }
  : { page: "#1f6f8b", noindex: "#6d4bb5", refused: "#a85d00", dead: "#c02a1c", redirect: "#2f7d42", other: "#6c7680" };
const depthColour = (depth) => "hsl(" + [210, 185, 150, 95, 50, 30, 10, 340, 310, 280][Math.min(depth, 9)] + " 60% " + (dark.matches ? "65%" : "42%") + ")";
const style = (name) => getComputedStyle(document.body).getPropertyValue(name).trim();
const say = (text) => { document.getElementById("map-note").textContent = text; };

function hover(context, data, settings) {
  const text = data.full;
  context.font = "13px system-ui, sans-serif";
  const width = context.measureText(text).width + 12;
  const left = Math.max(4, Math.min(data.x + data.size + 4, box.clientWidth - width - 4));
  context.fillStyle = style("--card");
  context.strokeStyle = style("--muted");
  context.beginPath();
  context.rect(left, data.y - 12, width, 24);
  context.fill();
  context.stroke();
  context.fillStyle = style("--text");
  context.fillText(text, left + 6, data.y + 4);
}

// Boxes are outlined below the dots, as far as they are large enough to be seen.
function outline(renderer, boxes) {
  const canvas = renderer.createCanvas("boxes", { beforeLayer: "edges" });
  const context = canvas.getContext("2d");
  renderer.on("afterRender", () => {
    const { width, height } = renderer.getDimensions();
    const ratio = devicePixelRatio;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    canvas.style.width = width + "px";
    canvas.style.height = height + "px";
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.strokeStyle = style("--line");
    context.fillStyle = style("--accent-soft");
    for (const { box: [x, y, w, h] } of boxes) {
      const a = renderer.graphToViewport({ x, y: y + h });
      const b = renderer.graphToViewport({ x: x + w, y });
      if (b.x - a.x < 4 || b.x < 0 || b.y < 0 || a.x > width || a.y > height) continue;
      context.globalAlpha = 0.25;
      context.fillRect(a.x, a.y, b.x - a.x, b.y - a.y);
      context.globalAlpha = 1;
      context.strokeRect(a.x, a.y, b.x - a.x, b.y - a.y);
    }
  });
}

// Labels are drawn when all of a picture are known: those of boxes first, of these the larger ones, and none over another.
function apart(renderer, wanted) {
  renderer.on("afterRender", () => {
    const taken = [];
    wanted.sort((a, b) => b.data.forceLabel - a.data.forceLabel || b.data.size - a.data.size);
    for (const { context, data, settings } of wanted) {
      context.font = settings.labelSize + "px " + settings.labelFont;
      context.fillStyle = settings.labelColor.color;
      const x = data.x + data.size + 3, y = data.y + settings.labelSize / 3;
      const right = x + context.measureText(data.label).width + 4, top = y - settings.labelSize;
      if (taken.some((t) => x < t.right && t.x < right && top < t.y && t.top < y)) continue;
      taken.push({ x, y, right, top });
      context.fillText(data.label, x, y);
    }
    wanted.length = 0;
  });
}

function draw(map) {
  const began = performance.now();
  const graph = new graphology.Graph({ multi: false, allowSelfLoops: false });
  let by = "state";
  const colour = (n) => by === "depth" ? depthColour(n.depth) : states()[n.state];
  map.nodes.forEach((n, i) => graph.addNode(i, {
    x: n.x, y: n.y, size: n.size, color: colour(n), label: n.pages ? n.label + " (" + n.pages + ")" : n.label,
    forceLabel: n.pages > 0 && n.box[2] > 0.09, full: n.url + (n.pages ? ": " + n.pages + " URLs" : ""), box: n.pages > 0, depth: n.depth,
  }));
  map.nodes.forEach((n, i) => {
    if (n.via >= 0 && n.via !== i) graph.mergeEdge(n.via, i, { size: 0.0004, color: style("--line"), hidden: true });
  });
  const labels = [];
  const renderer = new Sigma(graph, box, {
    itemSizesReference: "positions", zoomToSizeRatioFunction: (x) => x, autoRescale: true, stagePadding: 12,
    labelRenderedSizeThreshold: 9, labelDensity: 0.3, labelSize: 12, labelColor: { color: style("--text") }, labelFont: "system-ui, sans-serif",
    defaultDrawNodeLabel: (context, data, settings) => { labels.push({ context, data, settings }); },
    defaultDrawNodeHover: hover, minCameraRatio: 0.002, maxCameraRatio: 2, allowInvalidContainer: true,
  });
  renderer.setCustomBBox({ x: [0, 1.4], y: [0, 1] });
  apart(renderer, labels);
  outline(renderer, map.nodes.filter((n) => n.pages));
  renderer.on("clickNode", ({ node }) => {
    const n = map.nodes[node];
    location.href = (n.pages ? box.dataset.under : box.dataset.explain) + encodeURIComponent(n.url);
  });
  renderer.on("enterNode", () => { box.classList.add("over"); });
  renderer.on("leaveNode", () => { box.classList.remove("over"); });
  const recolour = () => {
    graph.updateEachNodeAttributes((i, a) => ({ ...a, color: colour(map.nodes[i]) }));
    renderer.setSetting("labelColor", { color: style("--text") });
  };
  dark.addEventListener("change", recolour);
  const form = document.getElementById("colours");
  form.hidden = false;
  form.addEventListener("change", (e) => {
    if (e.target.name === "colour") {
      by = e.target.value;
      document.getElementById("legend-state").hidden = by === "depth";
      recolour();
    } else {
      graph.updateEachEdgeAttributes((_, a) => ({ ...a, hidden: !e.target.checked }));
    }
  });
  renderer.once("afterRender", () => {
    box.dataset.nodes = graph.order;
    box.dataset.took = Math.round(performance.now() - began);
  });
  renderer.refresh();
}

fetch(box.dataset.map).then((r) => r.ok ? r.json() : Promise.reject(new Error(r.status))).then(draw).catch((e) => {
  box.hidden = true;
  say("The map cannot be drawn here (" + e.message + "); it needs WebGL. The table has what is on it.");
});
