export { carryLinks } from './queries.ts'
