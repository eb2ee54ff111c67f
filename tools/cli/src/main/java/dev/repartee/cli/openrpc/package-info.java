/**
 * The commands that read OpenRPC documents: {@code list}, {@code describe} and {@code openrpc}.
 * {@link dev.repartee.cli.openrpc.DocumentOptions} gets a document from a server or a file.
 */
@NullMarked
package dev.repartee.cli.openrpc;

import org.jspecify.annotations.NullMarked;
