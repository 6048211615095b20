import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

// A module that is loaded after this starts in two thirds of the time, so nothing else is imported above. Where the folder
// cannot be written, nothing is kept.
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/compile'))
const { runRole } = await import('./roles/roles.ts')
process.exit(await runRole(process.argv.slice(2)))
