"use strict";
(() => {
  const changes = [...document.querySelectorAll(".change")];
  const chosen = new Set();
  const input = document.querySelector(".filter input");
  const empty = document.querySelector(".empty");

  const apply = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const change of changes) {
      const text = change.textContent.toLowerCase();
      const fits = words.every((word) => text.includes(word));
      change.hidden = !fits || (chosen.size > 0 && !chosen.has(change.dataset.meets));
    }
    for (const section of document.querySelectorAll(".danger")) {
      const own = [...section.querySelectorAll(".change")];
      section.hidden = (words.length > 0 || chosen.size > 0) && own.every((change) => change.hidden);
    }
    empty.hidden = changes.length === 0 || changes.some((change) => !change.hidden);
  };

  for (const button of document.querySelectorAll("[data-effect]")) {
    button.addEventListener("click", () => {
      const effect = button.dataset.effect;
      const isOn = !chosen.delete(effect);
      if (isOn) chosen.add(effect);
      button.setAttribute("aria-pressed", String(isOn));
      apply();
    });
  }
  for (const button of document.querySelectorAll("[data-fold]")) {
    button.addEventListener("click", () => {
      for (const change of changes) change.open = button.dataset.fold === "open";
    });
  }
  input.addEventListener("input", apply);
  const form = document.querySelector(".filter");
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = changes.length === 0;
  document.documentElement.classList.add("scripted");
})();
