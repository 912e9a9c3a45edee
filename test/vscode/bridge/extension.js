// Evaluates functions that the UI suite sends through a unix socket, with `vscode` in hand. See test/ui/support/bridge.ts.
const net = require('node:net');
const vscode = require('vscode');

exports.activate = (context) => {
  const path = process.env.LOOPDOCK_BRIDGE;
  if (!path) return;
  const socket = net.connect(path);
  context.subscriptions.push({ dispose: () => socket.destroy() });
  socket.on('error', () => undefined);
  socket.setEncoding('utf8');
  let rest = '';
  socket.on('data', (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop();
    for (const line of lines) void answer(socket, JSON.parse(line));
  });
};

async function answer(socket, { id, source, arg }) {
  const reply = (message) => socket.write(`${JSON.stringify({ id, ...message })}\n`);
  try {
    // The transpiler of the suite wraps named functions in a call of `__name`.
    const run = new Function('__name', 'require', `return (${source});`)((f) => f, require);
    reply({ value: await run(vscode, arg) });
  } catch (error) {
    reply({ error: error?.stack ?? String(error) });
  }
}
