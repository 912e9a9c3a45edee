/** Skills of the session that is shown. */
export interface SkillCommands {
  /** Lets the user choose; they apply from the next message on. */
  choose(): Promise<void>;
  /** Uploads a folder: the one that is given, or one that the user picks. */
  upload(folder?: unknown): Promise<void>;
}
