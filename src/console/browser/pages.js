/** @import { ComponentType } from 'preact' */
/** @import { Permission } from './api/types.d.ts' */

/** @typedef {ComponentType<{ rest: readonly string[] }>} View */

/**
 * @typedef {object} Page
 * @property {string} name the first part of its address, and of its module pages/NAME.page.js
 * @property {string} title
 * @property {string} letter opens the page after `g`
 * @property {Permission | readonly Permission[]} permission without it, or one of several, the page is not offered
 * @property {() => Promise<{ View: View }>} load
 */

/** Every page, in the order of the navigation. The first one is at /console. @type {readonly [Page, ...Page[]]} */
export const pages = [
  {
    name: 'overview',
    title: 'Overview',
    letter: 'o',
    permission: 'records:read',
    load: () => import('./pages/overview.page.js'),
  },
  {
    name: 'records',
    title: 'Records',
    letter: 'r',
    permission: 'records:read',
    load: () => import('./pages/records.page.js'),
  },
  {
    name: 'recall',
    title: 'Recall',
    letter: 'q',
    permission: 'records:read',
    load: () => import('./pages/recall.page.js'),
  },
  {
    name: 'maintenance',
    title: 'Maintenance',
    letter: 'm',
    permission: 'records:read',
    load: () => import('./pages/maintenance.page.js'),
  },
  {
    name: 'conversations',
    title: 'Conversations',
    letter: 'c',
    permission: 'records:read',
    load: () => import('./pages/conversations.page.js'),
  },
  {
    name: 'entities',
    title: 'Entities',
    letter: 'e',
    permission: 'records:read',
    load: () => import('./pages/entities.page.js'),
  },
  {
    name: 'keys',
    title: 'Keys',
    letter: 'k',
    permission: 'admin',
    load: () => import('./pages/keys.page.js'),
  },
  {
    name: 'import',
    title: 'Import',
    letter: 'i',
    permission: ['records:write', 'records:read'],
    load: () => import('./pages/import.page.js'),
  },
  {
    name: 'metrics',
    title: 'Metrics',
    letter: 't',
    permission: 'records:read',
    load: () => import('./pages/metrics.page.js'),
  },
]

/** The content of the help. @type {() => Promise<{ View: ComponentType<{ pages: readonly Page[], close: () => void }> }>} */
export const loadHelp = () => import('./pages/help.js')
