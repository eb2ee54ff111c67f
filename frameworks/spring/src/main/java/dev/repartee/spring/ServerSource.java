package dev.repartee.spring;

import dev.repartee.Server;
import org.jspecify.annotations.Nullable;

/** A server that another part of the application starts before {@link RpcListener}. */
@FunctionalInterface
interface ServerSource {
  /** Returns the server; null if there is nothing to serve. */
  @Nullable Server server();
}
