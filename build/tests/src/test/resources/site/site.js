// The theme, copy buttons and the search. The pages can be read without this script.
(() => {
  const script = document.currentScript;
  const root = () => new URL(".", script.src || document.baseURI);
  const html = document.documentElement;
  const stored = () => { try { return localStorage.getItem("theme") } catch { return null } };
  if (stored()) html.dataset.theme = stored();

  function theme(button) {
    button.hidden = false;
    button.addEventListener("click", () => {
      const dark = html.dataset.theme
        ? html.dataset.theme === "dark"
        : matchMedia("(prefers-color-scheme: dark)").matches;
      html.dataset.theme = dark ? "light" : "dark";
      try { localStorage.setItem("theme", html.dataset.theme) } catch { /* it lasts for this page */ }
    });
  }

  // The commands of a session in a shell are copied without their prompts and their output.
  function copied(text) {
    const commands = [...text.matchAll(/^\$ ((?:.*\\\n)*.*)$/gm)].map(command => command[1]);
    return commands.length ? commands.join("\n") + "\n" : text;
  }

  function copyButton(block) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      const text = copied(block.querySelector("code").textContent);
      const done = await navigator.clipboard?.writeText(text).then(() => true, () => false);
      button.textContent = done ? "Copied" : "Not allowed";
      setTimeout(() => { button.textContent = "Copy" }, 2000);
    });
    block.append(button);
  }

  function permalink(heading) {
    const link = document.createElement("a");
    link.href = "#" + heading.id;
    link.textContent = "#";
    link.tabIndex = -1; // for the mouse: keys and screen readers have the list of sections
    link.setAttribute("aria-hidden", "true");
    heading.append(link);
  }

  let index = null; // a promise of the sections and types
  const load = () => index ??= new Promise((done, failed) => {
    window.searchIndex = (pages, types) => done([
      ...pages.flatMap(([place, name, group, sections]) => sections.map(([anchor, title, text]) =>
        ({place: place + (anchor && "#" + anchor), name, title, group, text}))),
      ...types.map(file => ({
        place: "api/" + file,
        name: file.replace(/.*\//, "").replace(/\.html$/, ""),
        title: "",
        group: "Javadoc",
        text: file.replace(/^[^/]*\/(.*)\/.*/, "$1").replaceAll("/", "."),
      })),
    ]);
    const source = document.createElement("script");
    source.src = new URL("search-index.js", root());
    source.onerror = failed;
    document.head.append(source);
  });

  // Every word has to begin a word of the section. Names count most, then titles, then text.
  function find(sections, query) {
    const words = query.split(/\s+/).filter(Boolean)
      .map(word => new RegExp("(?<![a-z0-9])" + word.replace(/[^\w\s]/g, "\\$&"), "i"));
    const whole = query.trim().toLowerCase();
    return sections.map(section => {
      const named = section.title || section.name;
      let score = named.toLowerCase() === whole ? 30 : 0;
      for (const word of words) {
        const found = (word.test(named) ? 10 : 0) + (word.test(section.name) ? 5 : 0)
          + (word.test(section.text) ? 2 : 0);
        if (!found) return null;
        score += found;
      }
      return {section, score: score - (section.group === "Javadoc" ? 5 : 0)};
    }).filter(Boolean).sort((a, b) => b.score - a.score).map(found => found.section)
      .filter((section, at, all) => all.slice(0, at).filter(each => each.name === section.name).length < 3)
      .slice(0, 12);
  }

  // Returns the words around the first match, with the matches marked.
  function excerpt(text, query) {
    const words = query.split(/\s+/).filter(Boolean).map(word => word.replace(/[^\w\s]/g, "\\$&"));
    const pattern = new RegExp("(?<![a-z0-9])(?:" + words.join("|") + ")", "gi");
    const from = Math.max(0, text.lastIndexOf(" ", Math.max(0, text.search(pattern) - 40)));
    const part = (from ? "… " : "") + text.slice(from, from + 140).trim() + (from + 140 < text.length ? " …" : "");
    const line = document.createElement("p");
    let at = 0;
    for (const match of part.matchAll(pattern)) {
      const mark = document.createElement("mark");
      mark.textContent = match[0];
      line.append(part.slice(at, match.index), mark);
      at = match.index + match[0].length;
    }
    line.append(part.slice(at));
    return line;
  }

  function result(section, query) {
    const item = document.createElement("li");
    const link = document.createElement("a");
    const title = document.createElement("strong");
    const group = document.createElement("span");
    link.href = new URL(section.place, root());
    title.textContent = section.title ? section.name + " › " + section.title : section.name;
    group.textContent = section.group;
    link.append(title, " ", group);
    if (section.text) link.append(excerpt(section.text, query));
    item.append(link);
    return item;
  }

  function search(form) {
    const input = form.elements.q;
    const panel = document.getElementById("results");
    const links = () => [...panel.querySelectorAll("a")];
    const close = () => { panel.hidden = true };
    async function show() {
      const query = input.value.trim().slice(0, 200);
      const sections = query ? await load().catch(() => []) : [];
      if (query !== input.value.trim()) return; // a later one is on its way
      const found = query ? find(sections, query) : [];
      panel.querySelector("p").textContent = found.length === 1 ? "1 result" : found.length
        ? found.length + " results" : "Nothing found for “" + query + "”";
      panel.querySelector("ol").replaceChildren(...found.map(section => result(section, query)));
      panel.hidden = !query;
    }
    form.hidden = false;
    input.addEventListener("focus", () => load().catch(() => {}));
    input.addEventListener("input", show);
    form.addEventListener("submit", event => {
      event.preventDefault();
      links()[0]?.click();
    });
    panel.addEventListener("click", event => event.target.closest("a") && close());
    document.addEventListener("click", event => form.contains(event.target) || close());
    form.addEventListener("focusout", event =>
      event.relatedTarget && !form.contains(event.relatedTarget) && close());
    form.addEventListener("keydown", event => {
      const step = {ArrowDown: 1, ArrowUp: -1}[event.key];
      if (step) {
        const stops = [input, ...links()];
        stops[(stops.indexOf(document.activeElement) + step + stops.length) % stops.length].focus();
        event.preventDefault();
      } else if (event.key === "Escape") {
        close();
        input.focus();
      }
    });
    document.addEventListener("keydown", event => {
      const typing = event.target.closest("input, textarea, [contenteditable]");
      if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
        event.preventDefault();
        input.focus();
      }
    });
    const query = new URLSearchParams(location.search).get("q");
    if (query) {
      input.value = query;
      show();
    }
  }

  document.addEventListener("DOMContentLoaded", () => {
    theme(document.getElementById("theme"));
    document.querySelectorAll(".code").forEach(copyButton);
    document.querySelectorAll("main :is(h2, h3)[id]").forEach(permalink);
    search(document.getElementById("search"));
  });
})();
