// Plain JavaScript, so that a Node that cannot run the gateway can still say why.
const NODE_MAJOR_MIN = 24;
const major = Number(process.versions.node.split('.')[0]);
if (major < NODE_MAJOR_MIN) {
  console.error(
    `Waypost needs Node ${NODE_MAJOR_MIN} or newer, and this is ${process.version}. Start it with "npm start", which brings its own.`,
  );
  process.exit(1);
}
await import('../src/main.ts');
