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
 * <p>The text after the slash is the command, percent-encoded: {@code %23} is a hash, {@code %25} a
 * percent sign. A plus sign is not decoded. An absolute path needs a second slash:
 * {@code ssh://host//usr/bin/server}. The default user is the user of this process; the default
 * port is 22. Authentication is by key only; a URI with a password is refused.
 *
 * <p>Options of the URI of a client, with the same encoding:
 *
 * <ul>
 *   <li>{@code identity=FILE}: the private key. By default the keys of the SSH agent at the socket
 *       {@code SSH_AUTH_SOCK} are offered, then {@code id_ed25519}, {@code id_ecdsa} and {@code
 *       id_rsa} of the folder {@code .ssh}.
 *   <li>{@code known-hosts=FILE}: the keys of known hosts; by default {@code ~/.ssh/known_hosts} and
 *       {@code /etc/ssh/ssh_known_hosts}. A host with another key, or without one, is refused.
 *   <li>{@code stderr=discard}: drops the standard error of the command, which is otherwise
 *       forwarded line by line to {@link System#err}.
 * </ul>
 *
 * <p>Options of a server, {@code ssh://127.0.0.1:2222#hostkey=FILE&authorized=FILE}:
 *
 * <ul>
 *   <li>{@code hostkey=FILE} (required): the private key of the server.
 *   <li>{@code create-hostkey=true}: creates that file if it is missing.
 *   <li>{@code authorized=FILE} (required): the public keys of the clients, as in
 *       {@code authorized_keys} of OpenSSH; changes take effect at the next login. If a key has an
 *       option that this server does not implement, the file is refused.
 * </ul>
 *
 * <p>A server supports no passwords, no shell, no port forwarding and no SFTP.
 * {@link Limits#connections} limits the channels and the logged-in connections of a server. At most
 * {@value SshListening#UNAUTHENTICATED} connections are not logged in; each has
 * {@link Limits#firstByteTimeout} for that. Keep-alive messages are sent every
 * {@link Limits#pingInterval}.
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
