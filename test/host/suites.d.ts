/** Made by esbuild.js: it imports every test file of this folder. */
declare module 'loopdock:host-suites' {}
