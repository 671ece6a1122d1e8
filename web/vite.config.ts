import { defineConfig } from "vite";
import { viteSingleFile } from "vite-plugin-singlefile";
import { contentSecurity } from "./build/content_security";

export default defineConfig({
  plugins: [viteSingleFile({ removeViteModuleLoader: true }), contentSecurity()],
  build: { target: "es2022", modulePreload: false, reportCompressedSize: false },
});
