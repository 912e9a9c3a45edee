import type { EditPort, TerminalPort } from '../ports.ts';
import { advisorTool } from './advisor.ts';
import { bashTool } from './bash.ts';
import { codeExecutionTool } from './codeExecution.ts';
import { readForCodeTool } from './readForCode.ts';
import { textEditorTool } from './textEditor.ts';
import { clientTool, type AnyTool } from './tool.ts';
import { toolSearchTool } from './toolSearch.ts';
import { webFetchTool } from './webFetch.ts';
import { webSearchTool } from './webSearch.ts';

export interface ToolSetPorts {
  readonly edit: EditPort;
  readonly terminal: TerminalPort;
}

/** Every tool there is, in the order in which requests declare them: it is part of a request's prefix. */
export function createToolSet({ edit, terminal }: ToolSetPorts): readonly AnyTool[] {
  return [
    clientTool(textEditorTool(edit)),
    clientTool(bashTool(terminal)),
    codeExecutionTool,
    webSearchTool,
    webFetchTool,
    toolSearchTool,
    advisorTool,
    clientTool(readForCodeTool(edit)),
  ];
}
