// Light or dark: as the system is set, until the reader switches.
import { element } from "./dom/element";

const DARK = "(prefers-color-scheme: dark)";

function isDark(): boolean {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : (globalThis.matchMedia?.(DARK).matches ?? false);
}

export function themeButton(): HTMLElement {
  const button = element("button", { type: "button", class: "quiet theme" });
  const label = (): void => button.replaceChildren(isDark() ? "Light" : "Dark", element("span", { class: "unseen" }, " theme"));
  button.addEventListener("click", () => {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    label();
  });
  globalThis.matchMedia?.(DARK).addEventListener("change", label);
  label();
  return button;
}
