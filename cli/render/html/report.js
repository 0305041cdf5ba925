"use strict";
(() => {
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const one = (selector) => document.querySelector(selector);

  // The summary: sorting, filtering.
  const body = one("#rows tbody");
  const rows = body ? all("tr", body) : [];
  const key = (row, column) => {
    const cell = row.cells[column];
    return cell.dataset.value === undefined ? cell.textContent.trim() : Number(cell.dataset.value);
  };
  const compare = (a, b) => typeof a === typeof b
    ? typeof a === "number" ? a - b : a.localeCompare(b, "en", { numeric: true })
    : typeof a === "number" ? -1 : 1;
  const headings = all("#rows thead th");
  headings.forEach((heading, column) => heading.querySelector("button").addEventListener("click", () => {
    const first = heading.classList.contains("number") ? "descending" : "ascending";
    const other = first === "ascending" ? "descending" : "ascending";
    const order = heading.getAttribute("aria-sort") === first ? other : first;
    headings.forEach((each) => each.setAttribute("aria-sort", each === heading ? order : "none"));
    const sign = order === "ascending" ? 1 : -1;
    const numeric = (row) => typeof key(row, column) === "number" || !heading.classList.contains("number");
    rows.sort((a, b) => numeric(b) - numeric(a) || sign * compare(key(a, column), key(b, column)));
    body.append(...rows);
  }));
  const filter = () => {
    const words = one("#filter").value.toLowerCase().split(/\s+/);
    const bound = one("#filter-bound")?.value ?? "";
    const machine = one("#filter-machine")?.value ?? "";
    let shown = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word)) || (bound && row.dataset.kind !== bound)
        || (machine && row.dataset.machine !== machine);
      shown += !row.hidden;
    }
    one("#count").textContent = shown === rows.length ? `${shown} ${shown === 1 ? "row" : "rows"}` : `${shown} of ${rows.length} rows`;
  };
  one("#filters").addEventListener("input", filter);
  one("#filters").addEventListener("submit", (event) => event.preventDefault());

  // The source: folded lines, and the place that a link leads to.
  const unfold = (button, open) => {
    button.setAttribute("aria-expanded", open);
    all("tr", document.getElementById(button.getAttribute("aria-controls"))).forEach((row) => { row.hidden = !open; });
  };
  all(".fold button").forEach((button) => button.addEventListener("click", () => {
    unfold(button, button.getAttribute("aria-expanded") !== "true");
  }));
  const arrive = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    if (target.tagName === "DETAILS") target.open = true;
    const block = target.closest("tbody.folded");
    if (block) unfold(one(`[aria-controls="${block.id}"]`), true);
    if (!target.matches("section, a, button, summary")) target.tabIndex = -1;
    target.focus({ preventScroll: true });
    target.scrollIntoView({ block: target.matches("tr") ? "center" : "start" });
  };
  const go = (id) => {
    if (location.hash === `#${id}`) arrive();
    else location.hash = id;
  };
  addEventListener("hashchange", arrive);
  arrive();

  // The roofline.
  const root = document.documentElement;
  let draw = () => {};
  const plot = one("#plot");
  if (plot) {
    const { traces, layout } = JSON.parse(one("#traces").textContent);
    const probe = document.createElement("i");
    plot.before(probe);
    const colors = new Map();
    const themed = (value) => {
      if (Array.isArray(value)) return typeof value[0] === "number" ? value.slice() : value.map(themed);
      if (value && typeof value === "object") return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, themed(v)]));
      if (typeof value !== "string" || !value.startsWith("var(")) return value;
      if (!colors.has(value)) {
        probe.style.color = value;
        colors.set(value, getComputedStyle(probe).color);
      }
      return colors.get(value);
    };
    const chosen = (name) => new Set(all(`#choices [name="${name}"]:checked`).map((input) => input.value));
    const asked = (name) => one(`#choices [name="${name}"]`) !== null;
    const visible = ({ machine, precisions, inner }) => (!asked("machine") || chosen("machine").has(String(machine)))
      && (!precisions || !asked("precision") || precisions.some((name) => chosen("precision").has(name)))
      && (!inner || !asked("inner") || one('#choices [name="inner"]').checked);
    const config = { responsive: true, displaylogo: false, modeBarButtonsToRemove: ["lasso2d", "select2d", "autoScale2d"] };
    const coarse = matchMedia("(pointer: coarse)").matches;
    // Memory roofs are labelled along themselves, above their lower ends, where there is room between them.
    const scales = ({ xaxis, yaxis, margin, width, height }) => {
      const decades = ([least, most]) => most - least;
      return {
        across: ((width ?? plot.clientWidth) - margin.l - margin.r) / decades(xaxis.range),
        up: ((height ?? plot.clientHeight) - margin.t - margin.b) / decades(yaxis.range),
      };
    };
    const labels = (axes) => {
      const { xaxis, yaxis } = axes;
      const { across, up } = scales(axes);
      const angle = Math.atan2(up, across);
      const below = new Map();
      const slopes = traces.filter(({ meta }) => meta.slope && visible(meta)).reverse();
      return slopes.flatMap(({ x, y, meta, line }) => {
        const rate = Math.log10(y[0] / x[0]);
        const apart = (rate - (below.get(meta.machine) ?? -Infinity)) * up * Math.cos(angle);
        if (apart < 14) return [];
        const start = Math.max(0, xaxis.range[0] - Math.log10(x[0]), yaxis.range[0] - Math.log10(y[0]));
        const along = start + ((85 + 130 * (below.has(meta.machine) ? [...below.keys()].indexOf(meta.machine) : below.size))
          * Math.cos(angle)) / across;
        const at = [Math.log10(x[0]) + along, Math.log10(y[0]) + along];
        below.set(meta.machine, rate);
        if (at[0] > Math.min(Math.log10(x[x.length - 1]), xaxis.range[1]) || at[1] > yaxis.range[1]) return [];
        return [{ x: at[0], y: at[1], text: meta.slope, showarrow: false, textangle: (-angle * 180) / Math.PI,
          xshift: -10 * Math.sin(angle), yshift: 10 * Math.cos(angle), font: { size: 11, color: themed(line.color) } }];
      });
    };
    const relabel = () => Plotly.relayout(plot, { annotations: labels(plot.layout) });
    draw = (size = {}) => {
      colors.clear();
      const dressed = { ...themed(layout), dragmode: coarse ? false : "zoom", ...size };
      for (const axis of ["xaxis", "yaxis"]) if (plot.layout) dressed[axis].range = plot.layout[axis].range.slice();
      dressed.annotations = labels(dressed);
      dressed.xaxis.dtick = scales(dressed).across < 48 ? 2 : 1;
      // On a narrow screen the list below has the numbers, for there is no room for many of them.
      const crowded = plot.clientWidth < 600 && document.querySelectorAll(".marks a[data-curve]").length > 12;
      const data = traces.map((trace) => ({
        ...themed(trace),
        visible: visible(trace.meta),
        ...(crowded && trace.meta.role === "point" ? { mode: "markers" } : {}),
      }));
      return Plotly.react(plot, data, dressed, config);
    };
    const load = async () => {
      const packed = Uint8Array.from(atob(one("#library").textContent), (letter) => letter.charCodeAt(0));
      const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
      const script = document.createElement("script");
      script.textContent = await new Response(stream).text();
      document.head.append(script);
      await draw();
      plot.on("plotly_click", ({ points }) => { if (points[0].customdata) go(points[0].customdata); });
      plot.on("plotly_relayout", (changed) => { if (!("annotations" in changed)) relabel(); });
      plot.dataset.ready = "true";
    };
    load().catch((error) => { plot.textContent = `The roofline cannot be drawn: ${error.message}`; });
    one("#choices").addEventListener("input", () => draw());
    for (const link of all(".marks a[data-curve]")) {
      const hover = () => {
        if (!plot.dataset.ready) return;
        Plotly.Fx.hover(plot, [{ curveNumber: Number(link.dataset.curve), pointNumber: Number(link.dataset.point) }]);
      };
      const leave = () => { if (plot.dataset.ready) Plotly.Fx.unhover(plot); };
      link.addEventListener("focus", hover);
      link.addEventListener("mouseenter", hover);
      link.addEventListener("blur", leave);
      link.addEventListener("mouseleave", leave);
    }
  }

  // The theme: that of the system unless chosen.
  const themes = ["system", "dark", "light"];
  const button = one("#theme");
  const dress = (theme) => {
    if (theme === "system") delete root.dataset.theme;
    else root.dataset.theme = theme;
    button.textContent = `Theme: ${theme}`;
    if (plot?.dataset.ready) draw();
  };
  let theme = "system";
  try { theme = localStorage.getItem("ai-estimate-theme") ?? theme; } catch { /* no storage in this browser */ }
  if (themes.includes(theme)) dress(theme);
  button.addEventListener("click", () => {
    theme = themes[(themes.indexOf(theme) + 1) % themes.length];
    try { localStorage.setItem("ai-estimate-theme", theme); } catch { /* not kept */ }
    dress(theme);
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => dress(theme));
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = all("details:not([open])");
    closed.forEach((each) => { each.open = true; });
    root.dataset.theme = "light";
    if (plot?.dataset.ready) draw({ width: 680, height: 440 });
  });
  addEventListener("afterprint", () => {
    closed.forEach((each) => { each.open = false; });
    dress(theme);
  });
})();
