package dev.repartee;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.framing.Envelope;
import dev.repartee.framing.Framing;
import dev.repartee.limits.LimitException;
import dev.repartee.message.Dialect;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The ways to a peer and to the address of a server: {@link Repartee} and {@link Server}. */
class EntryPointsTest {
  private static final Service SERVICE = Service.builder()
      .method("twice", Integer[].class, Integer.class, (params, call) -> 2 * params[0])
      .build();

  /** A dialect with a framing, as those of LSP and DAP have one. */
  private static final class Headers implements Dialect, Envelope {
    @Override
    public String name() {
      return "headers";
    }

    @Override
    public Framing framing(Framing otherwise) {
      return Framing.CONTENT_LENGTH;
    }
  }

  @Test
  void aPureClientNeedsNoServiceForItsOptions() throws Exception {
    List<String> called = new CopyOnWriteArrayList<>();
    Layer noting = (call, next) -> {
      called.add(call.method());
      return next.handle(call);
    };
    Options options = Options.builder().callLayer(noting).build();
    try (Server server = Repartee.listen("mem:*", SERVICE);
        Peer byUri = Repartee.connect(String.valueOf(server.endpoint()), options);
        Peer byEndpoint = Repartee.connect(server.endpoint(), options)) {
      assertThat(byUri.call("twice", int.class, 21)).isEqualTo(42);
      assertThat(byEndpoint.call("twice", int.class, 4)).isEqualTo(8);
    }
    assertThat(called).containsExactly("twice", "twice");
  }

  @Test
  void aClientConnectsToTheEndpointOfAServer() throws Exception {
    Service client = Service.builder()
        .method("name", Object[].class, String.class, (params, call) -> "client")
        .build();
    try (Server server = Repartee.listen("tcp://127.0.0.1:0#framing=content-length", SERVICE);
        Peer pure = Repartee.connect(server.endpoint());
        Peer both = Repartee.connect(server.endpoint(), client, Options.DEFAULT)) {
      assertThat(pure.call("twice", int.class, 1)).isEqualTo(2);
      assertThat(both.call("twice", int.class, 2)).isEqualTo(4);
    }
  }

  @ParameterizedTest
  @EnumSource(value = Framing.class, names = "AUTO", mode = EnumSource.Mode.EXCLUDE)
  void twoStreamsBecomeAPeerThatDetectsTheFramingOfTheOtherSide(Framing framing) throws Exception {
    PipedInputStream here = new PipedInputStream();
    PipedInputStream there = new PipedInputStream();
    PipedOutputStream toHere = new PipedOutputStream(here);
    PipedOutputStream toThere = new PipedOutputStream(there);
    Peer server = Repartee.over(there, toHere, SERVICE, Options.DEFAULT);
    try (Peer peer = Repartee.over(here, toThere, framing, Service.NONE, Options.DEFAULT)) {
      assertThat(peer.call("twice", int.class, 21)).isEqualTo(42);
    }
    server.closed().toCompletableFuture().get(Recorder.SECONDS, TimeUnit.SECONDS);
  }

  @Test
  void twoStreamsHaveTheFramingOfTheDialect() throws Exception {
    CompletableFuture<String> written = new CompletableFuture<>();
    OutputStream out = new ByteArrayOutputStream() {
      @Override
      public void flush() {
        written.complete(toString(StandardCharsets.UTF_8));
      }
    };
    Options headers = Options.builder().dialect(new Headers()).build();
    try (PipedOutputStream silent = new PipedOutputStream();
        Peer peer = Repartee.over(new PipedInputStream(silent), out, Service.NONE, headers)) {
      peer.notify("hello");
      assertThat(written.get(Recorder.SECONDS, TimeUnit.SECONDS)).startsWith("Content-Length: ");
    }
  }

  @Test
  void theLimitsOfTheOptionsHoldForStreams() throws Exception {
    Options small = Options.builder().limits(limits -> limits.frameBytes(200)).build();
    try (PipedOutputStream silent = new PipedOutputStream();
        Peer peer = Repartee.over(
            new PipedInputStream(silent), OutputStream.nullOutputStream(), Service.NONE, small)) {
      assertThatThrownBy(() -> peer.notify("long", "x".repeat(300)))
          .isInstanceOf(LimitException.class);
    }
  }

  @Test
  @SuppressWarnings("NullAway") // null is the mistake
  void aServiceThatIsNullIsNamedForStreams() {
    assertThatNullPointerException()
        .isThrownBy(() -> Repartee.over(
            InputStream.nullInputStream(), OutputStream.nullOutputStream(), null, Options.DEFAULT))
        .withMessage("the service is null; Service.NONE serves no methods");
  }

  @Test
  void theServerKnowsThePortThatTheSystemHasChosen() throws Exception {
    Server closed;
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", SERVICE);
        Socket client = new Socket("127.0.0.1", server.port())) {
      assertThat(server.endpoint()).hasToString("tcp://127.0.0.1:" + client.getPort());
      closed = server;
    }
    assertThat(closed.endpoint()).hasToString("tcp://127.0.0.1:" + closed.port());
  }

  @Test
  void aServerWithoutAPortSaysSo(@TempDir Path folder) throws Exception {
    for (String uri : new String[] {"unix:" + folder.resolve("socket"), "mem:without-port"}) {
      try (Server server = Repartee.listen(uri, SERVICE)) {
        assertThatIllegalStateException()
            .isThrownBy(server::port)
            .withMessage("'" + uri + "' has no port; endpoint() returns its address");
      }
    }
  }
}
