/** Who writes a message, by the role that a client names. Clients have several words for one role. */

export function isAssistant(role: string | undefined): boolean {
  return role !== undefined && /^(?:assistant|ai|bot|model|agent)$/i.test(role)
}

export function isTool(role: string | undefined): boolean {
  return role !== undefined && /^(?:tool|function|system|developer)$/i.test(role)
}
