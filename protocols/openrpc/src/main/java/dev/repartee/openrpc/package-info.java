/**
 * OpenRPC documents: {@link dev.repartee.openrpc.OpenRpc} is a document of a service, read from a
 * file or from {@code rpc.discover}.
 */
@NullMarked
package dev.repartee.openrpc;

import org.jspecify.annotations.NullMarked;
