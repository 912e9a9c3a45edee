import type { EpochStarted, NewEntry } from '../session/entries.ts';
import type { KnownModel, TurnContext } from './context.ts';

/** What a prefix is made from. */
export type PrefixSource = Pick<TurnContext, 'config' | 'tools' | 'skills' | 'refusedVersions'>;

/** What requests begin with: as it is in the log, or as it would be written. */
export type Prefix = EpochStarted | Extract<NewEntry, { type: 'epochStarted' }>;

/** The model of a request, and what is known of it. */
export interface ChosenModel {
  readonly id: string;
  readonly info: KnownModel;
}
