/** The repository's root folder. */
export declare const ROOT: string;
export declare function bootstrap(): Promise<void>;
export declare function npm(args: readonly string[], cwd: string): void;
