// Draws each .plot from the JSON beside it, in the colours of the style sheet.
(() => {
  "use strict";
  const color = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const suffixes = ["", " k", " M", " G", " T"];

  function short(v) {
    let unit = 0;
    for (; Math.abs(v) >= 999.5 && unit < 4; unit++) v /= 1000;
    return Number(v.toPrecision(3)) + suffixes[unit];
  }

  function options(p, box) {
    const narrow = box.clientWidth < 560;
    const axis = { stroke: color("--muted"), font: "12px system-ui, sans-serif", ticks: { stroke: color("--line"), width: 1, size: 4 } };
    const series = { label: p.name, stroke: color("--accent"), width: 1.5, points: { show: false }, value: (_, v) => v == null ? "–" : short(v) };
    const x = { ...axis, grid: { show: false } };
    const y = { ...axis, grid: { stroke: color("--line"), width: 1 }, size: 56, values: (_, splits) => splits.map(short) };
    const o = {
      width: box.clientWidth, height: narrow ? 220 : 240, axes: [x, y],
      padding: [8, narrow && p.labels ? 16 : 32, 0, 0], hooks: { setCursor: [u => u.root.classList.toggle("live", u.cursor.idx != null)] }, cursor: { y: false, drag: { x: false, y: false } },
      scales: { y: { range: (_, __, max) => [0, max > 0 ? max * 1.08 : 1] } },
    };
    if (p.labels) {
      const at = (_, i) => i == null ? "–" : p.labels[i];
      o.scales.x = { time: false, range: [-0.5, p.labels.length - 0.5] };
      o.series = [{ label: "bar", value: at }, { ...series, fill: color("--accent"), width: 0, paths: uPlot.paths.bars({ size: [0.72, 72] }) }];
      Object.assign(x, { splits: () => p.labels.map((_, i) => i), values: (_, s) => s.map(i => p.labels[i]), ticks: { show: false } });
      if (narrow) Object.assign(x, { rotate: -55, size: 76 });
    } else {
      o.tzDate = seconds => uPlot.tzDate(new Date(seconds * 1e3), "Etc/UTC");
      o.series = [{ label: "UTC", value: "{YYYY}-{MM}-{DD} {HH}:{mm}:{ss}" }, { ...series, fill: color("--accent-soft"), paths: uPlot.paths.stepped({ align: 1 }) }];
      x.values = [
        [31536000, "{YYYY}"], [2419200, "{YYYY}-{MM}"], [86400, "{MM}-{DD}", "\n{YYYY}"], [3600, "{HH}:{mm}", "\n{YYYY}-{MM}-{DD}", null, "\n{MM}-{DD}"],
        [60, "{HH}:{mm}", "\n{YYYY}-{MM}-{DD}", null, "\n{MM}-{DD}"], [1, "{HH}:{mm}:{ss}", "\n{YYYY}-{MM}-{DD}", null, "\n{MM}-{DD}"], [0.001, "{ss}.{fff}"],
      ].map(([step, each, year, month, day]) => [step, each, year ?? null, month ?? null, day ?? null, null, null, null, 1]);
      x.space = 70;
    }
    return o;
  }

  // An interval is as high over all of its width, so the last one needs an end.
  function points(p) {
    if (p.labels) return [p.labels.map((_, i) => i), p.values];
    return [[...p.values, 0].map((_, i) => p.start + i * p.seconds), [...p.values, p.values.at(-1)]];
  }

  const drawn = new Map();
  function draw(box) {
    drawn.get(box)?.destroy();
    drawn.delete(box);
    const p = JSON.parse(box.parentElement.querySelector("script").textContent);
    if (p.values.length && box.clientWidth) drawn.set(box, new uPlot(options(p, box), points(p), box));
  }
  const drawAll = () => document.querySelectorAll(".plot").forEach(draw);

  drawAll();
  document.addEventListener("toggle", e => { if (e.target.open) e.target.querySelectorAll(".plot").forEach(draw); }, true); // was folded
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
  let width = innerWidth;
  addEventListener("resize", () => {
    if (innerWidth !== width) drawAll();
    width = innerWidth;
  });
})();
