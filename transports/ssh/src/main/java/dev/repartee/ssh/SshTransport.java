package dev.repartee.ssh;

import dev.repartee.limits.Limits;
import dev.repartee.transport.Channel;
import dev.repartee.transport.Endpoint;
import dev.repartee.transport.Headers;
import dev.repartee.transport.Transport;
import java.io.IOException;
import java.util.Set;

/**
 * The transport {@code ssh://USER@HOST:PORT/COMMAND}: runs a command on a remote machine and
 * exchanges messages over its standard input and output. The login shell of the remote user
 * interprets the command. Without a command, the subsystem {@code json-rpc} is requested, which a
 * server of this transport has: {@code ssh://HOST:PORT}.
 *
 * <p>The text behind the slash is the command, in which {@code %23} stands for a hash, {@code %25}
 * for a percent sign and so on; a plus sign stands for itself. An absolute path has a slash of its
 * own: {@code ssh://host//usr/bin/server}. Without a user it is that of this process; without a port
 * it is 22. Authentication is by key only; a URI with a password is refused.
 *
 * <p>Options of the URI of a client, in which the same encoding holds:
 *
 * <ul>
 *   <li>{@code identity=FILE}: the private key. By default the keys of the SSH agent at the socket
 *       {@code SSH_AUTH_SOCK} are offered, then {@code id_ed25519}, {@code id_ecdsa} and {@code
 *       id_rsa} of the folder {@code .ssh}.
 *   <li>{@code known-hosts=FILE}: the keys of known hosts; by default {@code ~/.ssh/known_hosts} and
 *       {@code /etc/ssh/ssh_known_hosts}. A host with another key, or without one, is refused.
 *   <li>{@code stderr=discard}: drops the standard error of the command, which otherwise is passed
 *       on to {@link System#err} by lines.
 * </ul>
 *
 * <p>Options of a server, {@code ssh://127.0.0.1:2222#hostkey=FILE&authorized=FILE}:
 *
 * <ul>
 *   <li>{@code hostkey=FILE} (required): the private key of the server.
 *   <li>{@code create-hostkey=true}: creates that file if it is missing.
 *   <li>{@code authorized=FILE} (required): the public keys of the clients, as in {@code
 *       authorized_keys} of OpenSSH; changes take effect at the next login. An option of a key that
 *       this server does not implement makes the file unusable.
 * </ul>
 *
 * <p>A server has no passwords, no shell, no port forwarding and no SFTP. {@link
 * Limits#connections} bounds the channels and the logged-in connections of a server. At most {@value
 * SshListening#UNAUTHENTICATED} connections are not logged in; each has {@link
 * Limits#firstByteTimeout} for that. Keep-alive messages are sent every {@link Limits#pingInterval}.
 *
 * <p>Thread-safe.
 */
public final class SshTransport implements Transport {
  static final String IDENTITY = "identity";
  static final String KNOWN_HOSTS = "known-hosts";
  static final String ERRORS = "stderr";
  static final String HOST_KEY = "hostkey";
  static final String CREATE_HOST_KEY = "create-hostkey";
  static final String AUTHORIZED = "authorized";

  /** The subsystem that serves JSON-RPC. */
  static final String SUBSYSTEM = "json-rpc";

  /** Creates the transport; {@link java.util.ServiceLoader} does so. */
  public SshTransport() {}

  @Override
  public Set<String> schemes() {
    return Set.of("ssh");
  }

  @Override
  public Set<String> options() {
    return Set.of(IDENTITY, KNOWN_HOSTS, ERRORS, HOST_KEY, CREATE_HOST_KEY, AUTHORIZED);
  }

  @Override
  public Channel connect(Endpoint endpoint, Limits limits, Headers headers) throws IOException {
    Ed25519.register();
    return new Dialer(endpoint, limits).connect();
  }

  @Override
  public Listening listen(Endpoint endpoint, Limits limits, Acceptor acceptor) throws IOException {
    Ed25519.register();
    return SshListening.start(endpoint, limits, acceptor);
  }
}
