package dev.repartee.transport;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.UserPrincipal;
import jdk.net.ExtendedSocketOptions;
import jdk.net.UnixDomainPrincipal;
import org.jspecify.annotations.Nullable;

/**
 * The user of this machine at the other end of a Unix socket, as the kernel has recorded it when the
 * connection was made. On Linux and macOS, if the runtime has the module {@code jdk.net}.
 *
 * @param user the effective user; its name is the number of a user without a name
 * @param group the effective group
 */
public record PeerUser(UserPrincipal user, GroupPrincipal group) {
  /** The {@linkplain Channel#attributes attribute} of an accepted connection over a Unix socket. */
  public static final Attribute<PeerUser> ATTRIBUTE = Attribute.named("peer user");

  /** Returns the user at the other end of a Unix socket; null if it cannot be known. */
  static @Nullable PeerUser of(SocketChannel socket) {
    try {
      UnixDomainPrincipal peer = socket.getOption(ExtendedSocketOptions.SO_PEERCRED);
      return new PeerUser(peer.user(), peer.group());
    } catch (IOException | UnsupportedOperationException | LinkageError e) {
      return null; // the socket is closed, or the system or the runtime does not know it
    }
  }
}
