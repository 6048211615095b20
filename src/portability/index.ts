/**
 * Export and import of records as lines of JSON, with their history. An import accepts every line that an export writes.
 * - `export/` writes the lines of records.
 * - `import/` checks lines and stores them: `drafting/` makes drafts of lines, `storing/` writes them, and `report/` says what became of
 *   each line.
 * - `foreign/` reads the files of other programs as such lines.
 * Not here: creating records one by one, which is in src/records/.
 */
export { createExportService, type ExportService } from './export/export.service.ts'
export { createAbandonedRemoval } from './import/abandoned-rows.queries.ts'
export { createImportService } from './import/import.service.ts'
export { portabilityRoutes } from './portability.routes.ts'
export { ExportedRecord, lines } from './portability.schemas.ts'
