/**
 * Serving HTTP without the code that reads and writes a connection: what the engine of {@code
 * dev.repartee.netty} and the containers of {@code dev.repartee.servlet} have in common. Exported
 * only to these two modules.
 */
@NullMarked
package dev.repartee.transport.http.server;

import org.jspecify.annotations.NullMarked;
