// The HTTP server for programs that embed it: `backstory/http`.
export { type AppOptions, createApp } from './app.ts';
export { type Principal, Principals } from './principals.ts';
export { type Served, type ServeOptions, serveHttp } from './serve.ts';
