/**
 * Node's HTTP. It is not imported from `node:http`, which brings Node's own fetch and WebSocket along, for some MB and a twentieth of the time
 * that a start takes. Nothing here uses them. Types cost nothing, and are imported as usual.
 */
export const nodeHttp = process.getBuiltinModule('node:http');
