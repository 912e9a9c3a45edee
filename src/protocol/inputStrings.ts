/** Texts of the files that go with a message. */
export interface InputStrings {
  readonly attach: string;
  readonly attached: string;
  readonly sentFiles: string;
  /** {0}: a file's name. */
  readonly inputUseOf: string;
  /** {0}: a file's name. */
  readonly removeInput: string;
  readonly useMessage: string;
  readonly useContainer: string;
  readonly cautionSecret: string;
  readonly cautionIgnored: string;
  readonly cautionNoSandbox: string;
}

/** For the tests of the view, which have no host. */
export const englishInputStrings: InputStrings = {
  attach: 'Attach files',
  attached: 'Files for the next message',
  sentFiles: 'Files of this message',
  inputUseOf: 'How {0} is sent',
  removeInput: 'Remove {0}',
  useMessage: 'in message',
  useContainer: 'in container',
  cautionSecret: 'It looks like it holds secrets.',
  cautionIgnored: 'Git ignores it.',
  cautionNoSandbox: 'This model has no container. Send the file in the message, or choose another model.',
};
