package dev.repartee.acp;

import dev.repartee.acp.types.AuthMethod;
import dev.repartee.acp.types.AuthMethodAgent;
import dev.repartee.acp.types.AuthMethodTerminal;

/** Reads login methods. */
final class Logins {
  private Logins() {}

  static String id(AuthMethod method) {
    return method instanceof AuthMethodTerminal terminal
        ? terminal.id()
        : ((AuthMethodAgent) method).id();
  }
}
