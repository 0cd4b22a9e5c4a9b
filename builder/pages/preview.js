"use strict";
(() => {
  const PER_PAGE = 25;
  const data = JSON.parse(document.getElementById("data").textContent);
  const by = (id) => document.getElementById(id);
  const form = by("filters"), list = by("list"), count = by("count");
  const plain = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  const many = (n, what) => `${n.toLocaleString("en")} ${what}${n === 1 ? "" : "s"}`;
  let matching = [], page = 0;

  // every text reaches the page as text, never as markup
  const make = (tag, properties = {}, ...inside) => {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(properties)) made.setAttribute(name, value);
    made.append(...inside);
    return made;
  };

  const option = (value, label) => make("option", { value }, label);

  function choices(select, all, values) {
    select.append(option("", all), ...values.map(([value, label, n]) => option(value, `${label} (${n.toLocaleString("en")})`)));
    select.disabled = values.length === 0;
  }

  function counted(key, names) {
    const counts = new Map();
    for (const row of data.rows) for (const value of [row[key]].flat()) counts.set(value, (counts.get(value) || 0) + 1);
    return names.map((name, number) => [String(number), name, counts.get(number) || 0]).filter(([, name, n]) => name && n > 0);
  }

  choices(by("axis"), "Every axis", counted("a", data.axes));
  choices(by("stereotype"), "Every stereotype", counted("s", data.stereotypes));
  choices(by("template"), "Every template", counted("t", data.templates));
  choices(by("tag"), "Every kind", counted("g", data.tags));
  const codes = new Map();
  data.rows.forEach((row) => new Set(row.f.map((number) => data.findings[number].code)).forEach(
    (code) => codes.set(code, (codes.get(code) || 0) + 1)));
  choices(by("finding"), "With or without", [
    ...[...codes].sort().map(([code, n]) => [`code ${code}`, code, n]),
    ...counted("f", data.findings.map((finding, number) => `Finding ${number + 1}: ${finding.code}`)),
  ]);

  const said = data.rows.map((row) => plain(
    [row.k, data.stereotypes[row.s], data.meanings[row.s], ...row.l.map((line) => line.p.map((part) => part[0]).join(""))].join("\n")));

  function passes(row, number) {
    const same = (id, key) => by(id).value === "" || [row[key]].flat().includes(Number(by(id).value));
    const finding = by("finding").value;
    return same("axis", "a") && same("stereotype", "s") && same("template", "t") && same("tag", "g")
      && (finding === "" || (finding.startsWith("code ")
        ? row.f.some((found) => data.findings[found].code === finding.slice(5)) : row.f.includes(Number(finding))))
      && said[number].includes(plain(by("text").value.trim()));
  }

  function line(shown) {
    const text = make("dd", { lang: data.language, dir: "auto" });
    for (const [words, kind] of shown.p) text.append(kind ? make("mark", { class: kind }, words) : words);
    const label = make("dt", {}, shown.d + (shown.r ? `: ${shown.r}` : ""));
    if (shown.y) label.append(" ", make("strong", {}, "\u2713 right answer"));
    return make("div", shown.y ? { class: "right" } : {}, label, text);
  }

  function card(number) {
    const row = data.rows[number];
    const title = `row-${number}`;
    const tags = [data.axes[row.a], ...row.g.map((tag) => data.tags[tag])].filter(Boolean);
    const article = make("article", { "aria-labelledby": title },
      make("div", { class: "head" },
        make("h3", { id: title }, data.templates[row.t]), make("code", { class: "soft" }, row.id)),
      make("p", { class: "soft" }, make("code", {}, data.stereotypes[row.s]), " ", make("span", { lang: data.language, dir: "auto" }, data.meanings[row.s])),
      make("ul", { class: "tags", role: "list", "aria-label": "Axis and kind" }, ...tags.map((tag) => make("li", {}, tag))),
      make("dl", { class: "lines" }, ...row.l.map(line)),
      make("p", { class: "slots" }, row.k));
    for (const found of row.f) {
      const to = make("a", { href: `#finding-${found + 1}` }, `Finding ${found + 1}: ${data.findings[found].code}`);
      article.append(make("p", {}, to));
    }
    return make("li", {}, article);
  }

  function show() {
    const pages = Math.max(1, Math.ceil(matching.length / PER_PAGE));
    const start = page * PER_PAGE, shown = matching.slice(start, start + PER_PAGE);
    list.replaceChildren(...shown.map(card));
    count.textContent = shown.length
      ? `${many(matching.length, "row")} of ${data.rows.length.toLocaleString("en")} on this page ${matching.length === 1 ? "matches" : "match"}; shown: ${start + 1} to ${start + shown.length}.`
      : "No row matches. Clear the filters to see all.";
    by("page").textContent = `Page ${page + 1} of ${pages}`;
    by("back").disabled = page === 0;
    by("on").disabled = page + 1 >= pages;
  }

  function apply() {
    matching = data.rows.map((_, number) => number).filter((number) => passes(data.rows[number], number));
    page = 0;
    show();
  }

  function turn(step) {
    page += step;
    show();
    by("rows").focus();
  }

  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", apply);
  form.addEventListener("change", apply);
  form.addEventListener("reset", () => setTimeout(apply));
  by("back").addEventListener("click", () => turn(-1));
  by("on").addEventListener("click", () => turn(1));
  for (const button of document.querySelectorAll("button[data-finding]")) {
    button.addEventListener("click", () => {
      form.reset();
      by("finding").value = button.dataset.finding;
      setTimeout(() => { apply(); by("rows").focus(); });
    });
  }
  apply();
})();
