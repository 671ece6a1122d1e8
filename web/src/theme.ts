// Light or dark: as the system is set, until the reader switches.
import { element } from "./dom/element";

const system = globalThis.matchMedia?.("(prefers-color-scheme: dark)");

export function themeButton(): HTMLElement {
  const button = element("button", { type: "button", class: "quiet theme" });
  let dark = false;
  const show = (wanted: boolean): void => {
    dark = wanted;
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    button.replaceChildren(dark ? "Light" : "Dark", element("span", { class: "unseen" }, " theme"));
  };
  const follow = (): void => show(system?.matches ?? false);
  system?.addEventListener("change", follow);
  button.addEventListener("click", () => {
    system?.removeEventListener("change", follow);
    show(!dark);
  });
  follow();
  return button;
}
