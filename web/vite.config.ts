import { defineConfig } from "vite";
import { viteSingleFile } from "vite-plugin-singlefile";
import { contentSecurity } from "./plugins/content_security";

export default defineConfig({
  plugins: [viteSingleFile({ removeViteModuleLoader: true }), contentSecurity()],
  build: { target: "es2022", modulePreload: false, reportCompressedSize: false },
});
