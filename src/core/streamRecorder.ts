/** Keeps raw event streams for the inspector, beside the loop: it never throws, and nobody waits for it. */
export interface StreamRecorder {
  /** Undefined when nothing is to be kept. `requestId` is the API's. */
  begin(requestId: string | undefined): StreamRecording | undefined;
}

export interface StreamRecording {
  /** The bytes are kept as they are, not copied. */
  bytes(chunk: Uint8Array): void;
  end(): void;
}
