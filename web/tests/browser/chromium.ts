// Opens pages from disk in Debian's Chromium, and records what a page should not do.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import type { Facts } from "../../src/facts";
import { pageOf } from "../fixtures/page_of";

const PROGRAM = process.env.CHROMIUM ?? "/usr/bin/chromium";

/** A page of a report, with everything that it printed to the console or asked the network for. */
export interface Opened {
  page: Page;
  messages: string[];
  requests: string[];
}

export class Reports {
  private readonly folder = mkdtempSync(join(tmpdir(), "otss-report-"));
  private readonly addresses = new Map<string, string>();

  private constructor(readonly browser: Browser) {}

  static async start(): Promise<Reports> {
    // Chromium's sandbox does not work for root, which tests in containers often are.
    return new Reports(await chromium.launch({ executablePath: PROGRAM, args: ["--no-sandbox", "--force-color-profile=srgb"] }));
  }

  /** The address of a report with these facts. */
  address(name: string, facts: () => Facts): string {
    const known = this.addresses.get(name);
    if (known) return known;
    const path = join(this.folder, `${name.replaceAll(" ", "-")}.html`);
    writeFileSync(path, pageOf(facts()));
    const address = pathToFileURL(path).href;
    this.addresses.set(name, address);
    return address;
  }

  async open(address: string, options: BrowserContextOptions = {}): Promise<Opened> {
    const context = await this.browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
    const page = await context.newPage();
    const opened: Opened = { page, messages: [], requests: [] };
    page.on("console", (message) => opened.messages.push(`${message.type()}: ${message.text()}`));
    page.on("pageerror", (error) => opened.messages.push(`error: ${error.message}`));
    page.on("request", (request) => opened.requests.push(request.url()));
    await page.goto(address);
    await page
      .waitForFunction(() => document.documentElement.dataset.ready === "true", null, { timeout: 20_000 })
      .catch((error: Error) => {
        throw new Error(`${error.message}\n${opened.messages.join("\n")}`);
      });
    return opened;
  }

  async stop(): Promise<void> {
    await this.browser.close();
    rmSync(this.folder, { recursive: true });
  }
}
