/**
 * The console: a web page that shows and corrects what the memory knows, with the public API and the key of its user.
 * The modules of the page are in `browser/`; they are served as they are written.
 * Not here: what the page reads and changes, which are routes of the rooms.
 */

export { consoleRoutes } from './console.routes.ts'
export { createConsoleFiles } from './console-files.service.ts'
