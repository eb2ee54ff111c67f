package dev.repartee.netty.tls;

import dev.repartee.internal.log.FailureLog;
import dev.repartee.netty.http.HttpAddress;
import dev.repartee.transport.Endpoint;
import io.netty.handler.codec.http2.Http2SecurityUtil;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.Protocol;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.SupportedCipherSuiteFilter;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The TLS context of an endpoint, from the files that its options name. If the files change, the
 * next connections use their new content; open connections keep the old one. If the new content
 * cannot be used, the old one stays in use, and the log {@value FailureLog#NAME} gets one warning.
 *
 * <p>The files are checked when a connection begins, at most once a second. A watcher of the file
 * system would need a thread, and does not notice changes on network file systems. Thread-safe.
 */
public final class TlsContext {
  /** The minimum time between two checks of the files. */
  private static final long PERIOD = TimeUnit.SECONDS.toNanos(1);

  private static final String[] VERSIONS = {"TLSv1.3", "TLSv1.2"};

  private final Endpoint endpoint;
  private final Maker maker;
  private final List<Path> files;
  private final ReentrantLock lock = new ReentrantLock();
  private volatile long lookedAt;
  private volatile SslContext current;

  /** The states of the files when they were read. Guarded by the lock. */
  private List<State> seen;

  private interface Maker {
    SslContext make(Endpoint endpoint) throws IOException;
  }

  /** The state of a file; a file that is missing has none. */
  private record State(Object modified, long size, @Nullable Object key) {}

  private TlsContext(Endpoint endpoint, Maker maker) throws IOException {
    this.endpoint = endpoint;
    this.maker = maker;
    this.files = files(endpoint);
    this.seen = states(); // first: a change while they are read is noticed later
    this.current = maker.make(endpoint);
    this.lookedAt = System.nanoTime();
  }

  /**
   * Returns the context of a client. It trusts the authorities of {@code ca}, or by default the
   * authorities of the JVM. The certificate of the server must name the host.
   *
   * @param protocols the protocols to offer by ALPN; none to leave it out
   * @throws IOException if a file cannot be used; the message names it
   * @throws IllegalArgumentException if an option is missing or has no use
   */
  static TlsContext client(Endpoint endpoint, String... protocols) throws IOException {
    return new TlsContext(endpoint, uri -> {
      SslContextBuilder builder =
          SslContextBuilder.forClient().endpointIdentificationAlgorithm("HTTPS");
      if (uri.options().containsKey("cert") || uri.options().containsKey("key")) {
        OwnKey own = OwnKey.of(uri);
        builder.keyManager(own.key(), own.certificates());
      }
      PemFile ca = PemFile.of(uri, "ca");
      builder.trustManager(PeerTrust.in(ca == null ? null : ca.certificates()));
      return build(builder, protocols);
    });
  }

  /**
   * Returns the context of a server, which needs {@code cert} and {@code key}. With {@code ca},
   * clients must send a certificate of that authority. The parameters and exceptions are the same.
   */
  static TlsContext server(Endpoint endpoint, String... protocols) throws IOException {
    return new TlsContext(endpoint, uri -> {
      OwnKey own = OwnKey.of(uri);
      SslContextBuilder builder = SslContextBuilder.forServer(own.key(), own.certificates());
      PemFile ca = PemFile.of(uri, "ca");
      if (ca != null) {
        builder.trustManager(PeerTrust.in(ca.certificates())).clientAuth(ClientAuth.REQUIRE);
      }
      return build(
          builder.ciphers(Http2SecurityUtil.CIPHERS, SupportedCipherSuiteFilter.INSTANCE),
          protocols);
    });
  }

  private static SslContext build(SslContextBuilder builder, String... protocols)
      throws IOException {
    return builder
        .sslProvider(SslProvider.JDK)
        .protocols(VERSIONS)
        .applicationProtocolConfig(
            protocols.length == 0
                ? ApplicationProtocolConfig.DISABLED
                : new ApplicationProtocolConfig(
                    Protocol.ALPN,
                    SelectorFailureBehavior.FATAL_ALERT,
                    SelectedListenerFailureBehavior.ACCEPT,
                    protocols))
        .build();
  }

  private static List<Path> files(Endpoint endpoint) {
    List<Path> files = new ArrayList<>();
    for (String option : List.of("ca", "cert", "key")) {
      String value = endpoint.options().get(option);
      if (value != null) {
        files.add(PemFile.path(value));
      }
    }
    Path password = Password.file(endpoint);
    if (password != null) {
      files.add(password);
    }
    return files;
  }

  /**
   * Returns the context for a new connection. Checks the files if the last check was at least a
   * second ago, and reads them if they have changed.
   */
  public SslContext current() {
    if (System.nanoTime() - lookedAt >= PERIOD && lock.tryLock()) {
      try {
        look();
      } finally {
        lock.unlock();
      }
    }
    return current;
  }

  private void look() {
    lookedAt = System.nanoTime();
    List<State> now = states();
    if (now.equals(seen)) {
      return;
    }
    seen = now;
    try {
      current = maker.make(endpoint);
      log(Level.INFO, "the changed certificate is in use from now on", null);
    } catch (IOException | RuntimeException e) {
      log(
          Level.WARNING,
          "the changed certificate is not used, the old one stays: " + e.getMessage(),
          e);
    }
  }

  private void log(Level level, String event, @Nullable Throwable cause) {
    System.getLogger(FailureLog.NAME).log(level, HttpAddress.shown(endpoint) + ": " + event, cause);
  }

  private List<State> states() {
    List<State> states = new ArrayList<>();
    for (Path file : files) {
      try {
        BasicFileAttributes facts = Files.readAttributes(file, BasicFileAttributes.class);
        states.add(new State(facts.lastModifiedTime(), facts.size(), facts.fileKey()));
      } catch (IOException e) {
        states.add(new State(Objects.requireNonNullElse(e.getMessage(), ""), -1, null));
      }
    }
    return states;
  }
}
