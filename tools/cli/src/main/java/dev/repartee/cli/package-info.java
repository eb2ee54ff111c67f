/**
 * The command {@code repartee}: a command-line client and server for JSON-RPC 2.0.
 *
 * <p>Each command is one class with picocli annotations, which extends {@code Subcommand}, or {@code
 * ConnectedCommand} if it connects to a peer. Options that several commands share are mixins in the
 * package {@code options}. To add a command, write its class and add it in {@code Commands}.
 */
@NullMarked
package dev.repartee.cli;

import org.jspecify.annotations.NullMarked;
