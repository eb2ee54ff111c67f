package dev.repartee.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.HttpException;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.internal.HeldPort;
import dev.repartee.limits.Limits;
import dev.repartee.transport.Channel;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.Endpoint;
import dev.repartee.transport.Transport;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files with certificates and keys: changed while they are in use, and in PKCS#12. */
@Timeout(120)
class CertificateReloadTest {
  private static final int SECONDS = 60;

  private final Path folder;
  private final Certificates ours;
  private final Service service =
      Service.builder().method("echo", call -> call.params()).build();

  CertificateReloadTest(@TempDir Path folder) throws Exception {
    this.folder = folder;
    this.ours = new Certificates(folder);
  }

  private String uri(Server at) throws IOException {
    return at.endpoint().bare() + "#ca=" + ours.ca();
  }

  /** Returns the serial number of the certificate that a new connection gets. */
  private BigInteger serial(Server at) throws Exception {
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, ours.trust().getTrustManagers(), null);
    try (SSLSocket socket =
        (SSLSocket) context.getSocketFactory().createSocket("localhost", at.port())) {
      socket.setSoTimeout(1_000 * SECONDS);
      socket.startHandshake();
      return ((X509Certificate) socket.getSession().getPeerCertificates()[0]).getSerialNumber();
    }
  }

  private void awaitOther(Server at, BigInteger old) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
    while (serial(at).equals(old)) {
      assertThat(System.nanoTime()).as("the old certificate").isLessThan(end);
      pause();
    }
  }

  /**
   * Files are looked at when a connection opens, at most once a second. Handshakes without a pause
   * would use the CPU time of all other tests for this second.
   */
  private static void pause() {
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
  }

  /** Calls all the time: on one connection, and on a new one for each call. */
  private static final class Load implements AutoCloseable {
    final AtomicInteger calls = new AtomicInteger();
    final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean stopped = new AtomicBoolean();
    private final List<Thread> threads = new ArrayList<>();

    Load(String uri) {
      run(() -> {
        try (Peer peer = Repartee.connect(uri)) {
          while (!stopped.get()) {
            call(peer);
          }
        }
      });
      run(() -> {
        while (!stopped.get()) {
          try (Peer peer = Repartee.connect(uri)) {
            call(peer);
          }
        }
      });
    }

    private void call(Peer peer) {
      assertThat(peer.call("echo", int[].class, 1)).containsExactly(1);
      calls.incrementAndGet();
      pause();
    }

    private interface Work {
      void run() throws IOException;
    }

    private void run(Work work) {
      Thread thread = new Thread(() -> {
        try {
          work.run();
        } catch (Throwable e) {
          failures.add(e);
        }
      });
      threads.add(thread);
      thread.start();
    }

    @Override
    public void close() {
      stopped.set(true);
      for (Thread thread : threads) {
        try {
          thread.join();
        } catch (InterruptedException e) {
          throw new IllegalStateException(e);
        }
      }
    }
  }

  private static final class Warnings extends Handler implements AutoCloseable {
    final Queue<String> texts = new ConcurrentLinkedQueue<>();
    private final Logger logger = Logger.getLogger("dev.repartee");
    private final @Nullable Level before = logger.getLevel();

    Warnings() {
      logger.setUseParentHandlers(false);
      logger.setLevel(Level.ALL);
      logger.addHandler(this);
    }

    @Override
    public void publish(LogRecord each) {
      if (each.getMessage().contains("certificate")) {
        texts.add(each.getLevel() + " " + each.getMessage());
      }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
      logger.removeHandler(this);
      logger.setLevel(before);
      logger.setUseParentHandlers(true);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"tls", "https", "wss"})
  void aNewCertificateIsUsedWithoutAFailedCall(String scheme) throws Exception {
    String files = ours.named("localhost");
    try (Server at = Repartee.listen(scheme + "://localhost:0#" + files, service);
        Warnings warnings = new Warnings()) {
      BigInteger first = serial(at);
      Load load = new Load(uri(at));
      try (load) {
        assertThat(ours.named("localhost")).isEqualTo(files); // writes a new pair, under load
        awaitOther(at, first);
        BigInteger second = serial(at);
        ours.write("localhost.key", "no key");
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
        while (warnings.texts.stream().noneMatch(text -> text.contains("holds no private key"))) {
          assertThat(serial(at)).isEqualTo(second);
          assertThat(System.nanoTime()).as("no warning").isLessThan(end);
          pause();
        }
        assertThat(ours.named("localhost")).isEqualTo(files);
        awaitOther(at, second);
      }
      assertThat(load.failures).isEmpty();
      assertThat(load.calls).hasPositiveValue();
      assertThat(warnings.texts.stream().filter(text -> text.contains("holds no private key")))
          .singleElement()
          .asString()
          .startsWith("WARNING " + scheme + "://localhost:0")
          .contains("the changed certificate is not used, the old one stays");
    }
  }

  @Test
  void aClientUsesItsNewCertificateToo() throws Exception {
    String files = ours.named("localhost");
    Service names = Service.builder()
        .method("serial", call -> {
          List<X509Certificate> chain = call.attributes().get(Channel.PEER_CERTIFICATES);
          return chain == null ? "none" : chain.get(0).getSerialNumber().toString();
        })
        .build();
    HeldPort port = new HeldPort();
    String place = "https://localhost:" + port.number() + "#" + files + "&ca=" + ours.ca();
    Server at = Repartee.listen(place, names);
    try (port;
        Peer peer = Repartee.connect(uri(at) + "&" + ours.named("client"))) {
      String first = peer.call("serial", String.class);
      ours.named("client");
      String next = first;
      while (next.equals(first)) { // each time on a new connection
        at.close();
        assertThatThrownBy(() -> peer.call("serial", String.class)) // or it may use the old one
            .isInstanceOfAny(DisconnectedException.class, HttpException.class);
        at = Repartee.listen(place, names);
        next = peer.call("serial", String.class);
        pause();
      }
    } finally {
      at.close();
    }
  }

  // ---------------------------------------------------------------- PKCS#12

  @ParameterizedTest
  @ValueSource(strings = {"tls", "https"})
  void aPkcs12FileServes(String scheme) throws Exception {
    Path secret = ours.write("secret", "s3cret word\n");
    String options = ours.pkcs12("localhost", "s3cret word") + "&password=@" + secret;
    try (Server at = Repartee.listen(scheme + "://localhost:0#" + options, service);
        Peer peer = Repartee.connect(uri(at))) {
      assertThat(peer.call("echo", int[].class, 1)).containsExactly(1);
      BigInteger first = serial(at);
      ours.pkcs12("localhost", "s3cret word");
      awaitOther(at, first);
    }
  }

  @Test
  void thePasswordMayBeInTheEnvironment() throws Exception {
    String options = ours.pkcs12("localhost", System.getenv("PATH")) + "&password=env:PATH";
    try (Server at = Repartee.listen("tls://localhost:0#" + options, service);
        Peer peer = Repartee.connect(uri(at))) {
      assertThat(peer.call("echo", int[].class, 1)).containsExactly(1);
    }
  }

  @Test
  void aPasswordThatIsWrongOrOpenIsRefused() throws Exception {
    String cert = ours.pkcs12("localhost", "right");
    Path wrong = ours.write("wrong", "wrong");
    assertThatThrownBy(() -> listen(cert + "&password=@" + wrong))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("localhost.p12', the option cert, has another password");
    for (String open : List.of("", "&password=right")) {
      assertThatThrownBy(() -> listen(cert + open))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("#password=@FILE or #password=env:NAME")
          .hasMessageNotContaining("right");
    }
    assertThatThrownBy(() -> listen(cert + "&password=env:NO_SUCH_VARIABLE"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("NO_SUCH_VARIABLE, which is not set");
    assertThatThrownBy(() -> listen(cert + "&password=@" + folder.resolve("missing")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("missing', the option password");
    assertThatThrownBy(() -> listen(cert + "&password=@" + wrong + "&key=" + wrong))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("leave the option key out");
    assertThatThrownBy(() -> listen(ours.named("localhost") + "&password=@" + wrong))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("the option password is for PKCS#12");
  }

  private void listen(String options) throws IOException {
    Endpoint endpoint = Endpoint.parse("tls://localhost:0#" + options);
    Transport.of(endpoint).listen(endpoint, Limits.DEFAULT, channel -> {}).close();
  }
}
