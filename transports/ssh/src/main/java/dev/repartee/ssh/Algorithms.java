package dev.repartee.ssh;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.apache.sshd.common.NamedFactory;
import org.apache.sshd.common.helpers.AbstractFactoryManager;
import org.apache.sshd.common.signature.Signature;
import org.apache.sshd.core.CoreModuleProperties;

/** The settings that both sides have. */
final class Algorithms {
  /** Signatures with SHA-1, which can be forged. */
  private static final Set<String> WEAK = Set.of("ssh-rsa", "ssh-dss");

  /** The threads of a client or a server that read and write sockets. */
  private static final int THREADS = 2;

  private Algorithms() {}

  /**
   * Returns the signature algorithms for keys, except those with SHA-1 and those for certificates.
   */
  static List<NamedFactory<Signature>> signatures(AbstractFactoryManager manager) {
    return manager.getSignatureFactories().stream()
        .filter(one -> !WEAK.contains(one.getName()) && !one.getName().contains("-cert-"))
        .toList();
  }

  /**
   * Disables the time limits of the library, since the channels have their own, and detects
   * unreachable peers.
   */
  static void configure(AbstractFactoryManager manager) {
    manager.setNioWorkers(THREADS);
    CoreModuleProperties.IDLE_TIMEOUT.set(manager, Duration.ZERO);
    CoreModuleProperties.SOCKET_KEEPALIVE.set(manager, true);
    CoreModuleProperties.TCP_NODELAY.set(manager, true);
    CoreModuleProperties.WAIT_FOR_SPACE_TIMEOUT.set(manager, Duration.ofDays(1));
  }
}
