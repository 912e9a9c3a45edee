import * as l10n from '@vscode/l10n';
import type { ItemChange } from '../entries.ts';

export type Ailment =
  | 'shape'
  | 'place'
  | 'blankText'
  | 'citations'
  | 'encoding'
  | 'callId'
  | 'pair'
  | 'order'
  | 'thinkingLast'
  | 'errorResult'
  | 'noTool'
  | 'mediaType'
  | 'notAnImage'
  | 'imageBytes'
  | 'imageSide'
  | 'imageCount'
  | 'requestBytes';

/** Where something is in a request: indexes of the message, of its block, and of the block inside a tool result. */
export interface Place {
  readonly message: number;
  readonly block?: number;
  readonly inner?: number;
}

/** Something that the API would refuse. */
export interface Finding {
  readonly ailment: Ailment;
  readonly place: Place;
  /** What mends it without taking away anything of worth; absent where only the user can decide. */
  readonly fix?: ItemChange;
}

/** What Claude reads in the place of something that could not be sent. */
export const UNREADABLE_ITEM = '[An unreadable item was left out.]';

/** What is wrong, in the user's language, as the end of "…: ". */
export function describeAilment(ailment: Ailment): string {
  switch (ailment) {
    case 'shape':
      return l10n.t('it is not what it should be');
    case 'place':
    case 'order':
      return l10n.t('it stands where the API does not take it');
    case 'blankText':
      return l10n.t('it is empty');
    case 'citations':
      return l10n.t('it holds citations that the API does not take back');
    case 'encoding':
      return l10n.t('its text cannot be encoded');
    case 'callId':
      return l10n.t('the id of a call is not valid or not unique');
    case 'pair':
      return l10n.t('a call and its result do not belong together');
    case 'thinkingLast':
      return l10n.t('an answer may not end in thinking');
    case 'errorResult':
      return l10n.t('an error may hold only text');
    case 'noTool':
      return l10n.t('its tool is not there any more');
    case 'mediaType':
      return l10n.t('it is another kind of image than it says');
    case 'notAnImage':
      return l10n.t('it is not a PNG, JPEG, GIF or WebP image');
    case 'imageBytes':
      return l10n.t('it is larger than the 5 MB that the API takes');
    case 'imageSide':
      return l10n.t('its sides are too long');
    case 'imageCount':
      return l10n.t('there are more images than the API takes');
    case 'requestBytes':
      return l10n.t('with it the request has more than the 32 MB that the API takes');
  }
}
