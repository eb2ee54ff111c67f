/**
 * A language server for traces of JSON-RPC messages. {@link dev.repartee.examples.traces.Main}
 * starts it.
 *
 * <pre>
 * TraceServer   answers the editor
 *      |
 *      v
 * TraceText     a version of a document: its lines, and the exchanges that they form
 *      |     \
 *      v      v
 * LineReader  Pairing     read one line; find the request of each response
 * </pre>
 */
@NullMarked
package dev.repartee.examples.traces;

import org.jspecify.annotations.NullMarked;
