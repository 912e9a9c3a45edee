/**
 * Descriptors of the shell that its children never get: the output for fences and the channel for records. High, so
 * that scripts which use 3 to 9 or 200 (`exec 9>lock`) don't meet them.
 */
export const OUTPUT_FD = 61;
export const RECORD_FD = 62;

/**
 * What bash reads at its start. It is given the output pipe as descriptor 8 and the record channel as 9.
 *
 * The report prints the fence into the output and `name;code;cwd` into the record channel. It stands on three lines and
 * answers once: an interrupt drops the rest of its line, and two may come. In a function every word was read before any
 * alias existed; a function named `builtin` is removed in POSIX mode, in which `unset` can't itself be replaced.
 * `errexit` is switched off again, because in an interactive shell it would end the session at the next `grep` that
 * finds nothing. The beginning hands on the last exit code, so that `$?` is what it would be at a prompt.
 *
 * USR1 makes bash drop the rest of a script for certain. INT alone does not: bash ignores one that its foreground child
 * survived, or was not there to get.
 */
export const START_FILE = `exec ${OUTPUT_FD}>&8 ${RECORD_FD}>&9 8>&- 9>&-
PS1= PS2= PS0= PROMPT_COMMAND=
unset HISTFILE
set +o history
set +H
__loopdock_last= __loopdock_code=0 __loopdock_running=
__loopdock_own_builtin() {
  if [[ -o posix ]]; then unset -f builtin; else POSIXLY_CORRECT=; unset -f builtin; unset POSIXLY_CORRECT; fi
}
__loopdock_begin() {
  __loopdock_running=1
  __loopdock_own_builtin
  builtin printf '\\033]7777;%s\\007' "$1" >&${OUTPUT_FD}
  builtin return $__loopdock_code
}
__loopdock_report() {
  __loopdock_now=$? __loopdock_running=
  if [[ $__loopdock_last != "$1" ]]; then
    __loopdock_last=$1
    __loopdock_code=$__loopdock_now
    __loopdock_own_builtin
    builtin printf '\\033]7777;%s\\007' "$1" >&${OUTPUT_FD}
    builtin printf '%s;%s;' "$1" "$__loopdock_code" >&${RECORD_FD}
    builtin pwd >&${RECORD_FD}
    builtin printf '\\0' >&${RECORD_FD}
    builtin set +e
    PS1= PS2= PS0=
    builtin unset PROMPT_COMMAND
  fi
}
__loopdock_interrupt() {
  if [[ $__loopdock_running ]]; then __loopdock_own_builtin; builtin kill -INT $$; fi
}
readonly -f __loopdock_own_builtin __loopdock_begin __loopdock_report __loopdock_interrupt
trap '\\__loopdock_interrupt' USR1
`;

/** The lines that run the command in `file`. No reserved word and no bare builtin: a command may have redefined them all. */
export function controlLines(run: { file: string; stdin: string; begin: string; end: string }): string {
  const redirections = `0<${quote(run.stdin)} 1>&${OUTPUT_FD} 2>&${OUTPUT_FD} ${OUTPUT_FD}>&- ${RECORD_FD}>&-`;
  const report = `\\__loopdock_report ${run.end}`;
  const command = `\\builtin . ${quote(run.file)} ${redirections}`;
  // One line from the beginning to the command: what interrupts the one keeps the other from running.
  return ` \\__loopdock_begin ${run.begin}; ${command}; ${report}\n ${report}\n ${report}\n`;
}

/** A single-quoted shell word. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
