// Writes the page's content-security policy: only the script and the styles that this build made may run or apply, and
// no request is allowed. Each of them is named by its SHA-256 hash.
import { createHash } from "node:crypto";
import * as Plot from "@observablehq/plot";
import { Window } from "happy-dom";
import type { Plugin } from "vite";
import { PLOT_CLASS } from "../src/chart/plot_class";

/** The style element that Observable Plot puts into every chart. It is the same in all charts, so it has one hash. */
function plotStyle(): string {
  const document = new Window().document as unknown as Document;
  const chart = Plot.plot({ document, className: PLOT_CLASS, marks: [] });
  return chart.querySelector("style")?.textContent ?? "";
}

function hashOf(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

/** The texts of all elements `tag` of the page. Scripts that are data are not run, so they need no hash. */
function textsOf(html: string, tag: "script" | "style"): string[] {
  const elements = html.matchAll(new RegExp(`<${tag}([^>]*)>([\\s\\S]*?)</${tag}>`, "g"));
  return [...elements].filter(([, attributes]) => !attributes?.includes("application/json")).map(([, , text]) => text ?? "");
}

export function policyOf(html: string): string {
  const scripts = textsOf(html, "script").map(hashOf);
  const styles = [...textsOf(html, "style"), plotStyle()].map(hashOf);
  return [
    "default-src 'none'",
    `script-src ${scripts.join(" ")}`,
    `style-src ${styles.join(" ")}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

export function contentSecurity(): Plugin {
  return {
    name: "otss-content-security",
    enforce: "post",
    generateBundle: {
      order: "post", // after the plugin that puts script and styles into the page, so that their final text is hashed
      handler(_, bundle) {
        for (const file of Object.values(bundle)) {
          if (file.type !== "asset" || !file.fileName.endsWith(".html")) continue;
          const html = String(file.source);
          file.source = html.replace("CONTENT_SECURITY_POLICY", () => policyOf(html));
        }
      },
    },
  };
}
