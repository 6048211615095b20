import type { Announcements } from '../../../src/jobs/queue/announcements.ts'

/** For a service without a worker. */
export const silentAnnouncements: Announcements = {
  announceRun: async () => false,
  announceFollowUp: async () => false,
  announceTick: async () => false,
  announceWrites: async () => false,
  ofTenant: () => silentAnnouncements,
  finish: async () => {},
}
