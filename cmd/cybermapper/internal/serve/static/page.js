"use strict";
// The slash puts the cursor where one types, as on other search pages.
addEventListener("keydown", (e) => {
  const at = document.activeElement;
  const q = document.getElementById("q");
  if (e.key === "/" && q && !e.ctrlKey && !e.metaKey && !e.altKey && !(at && /^(INPUT|TEXTAREA|SELECT)$/.test(at.tagName))) {
    e.preventDefault();
    q.focus();
    q.select();
  }
});

// The live view is kept up to date by the server. What it says is text, and is put in as text.
const live = document.getElementById("live");
if (live && window.EventSource) {
  const put = (id, text) => {
    const e = document.getElementById(id);
    if (e && e.textContent !== text) e.textContent = text;
  };
  const rows = (id, list, cell) => {
    const body = document.getElementById(id);
    if (!body || body.contains(document.activeElement)) return; // who stands in it with the keyboard stays there
    body.replaceChildren(...(list || []).map((row) => {
      const tr = document.createElement("tr");
      row.forEach((value, i) => tr.append(cell(value, i)));
      return tr;
    }));
  };
  const cell = (value, number, link) => {
    const td = document.createElement("td");
    if (number) td.className = "num";
    if (link) {
      const a = document.createElement("a");
      a.href = link + encodeURIComponent(value);
      a.textContent = value;
      td.className = "url";
      td.append(a);
    } else {
      td.textContent = typeof value === "number" ? value.toLocaleString("en-US") : value;
    }
    return td;
  };
  const events = new EventSource(live.dataset.events);
  events.onmessage = (e) => {
    const v = JSON.parse(e.data);
    put("state", v.state);
    put("note", v.note);
    for (const t of v.tiles) {
      put("tile-" + t.key, t.value);
      put("small-" + t.key, t.small);
    }
    for (const [id, list] of [["refusals", v.refusals], ["reasons", v.reasons]]) {
      const ledger = document.getElementById(id).dataset.ledger;
      rows(id, (list || []).map((r) => id === "refusals" ? [r.count, r.gate, r] : [r.count, r]), (x, i) => {
        if (!x.code) return cell(x, i === 0);
        const td = document.createElement("td"), a = document.createElement("a");
        a.href = ledger + encodeURIComponent(x.code);
        a.textContent = x.text;
        td.append(a);
        return td;
      });
    }
    rows("codes", v.codes, (x, i) => cell(x, i === 0));
    const site = document.getElementById("waiting").dataset.site;
    rows("waiting", v.waiting, (x, i) => cell(x, i === 1, i === 0 ? site : ""));
    for (const id of ["refusals", "reasons", "codes"]) put("no-" + id, (v[id] || []).length ? "" : "Nothing so far.");
    put("more", v.more > 0 ? "and " + v.more + " more" : (v.waiting || []).length ? "" : "None waits for longer than a minute.");
  };
}

// What is worked on is looked at again.
if (document.getElementById("busy")) setTimeout(() => location.reload(), 3000);
