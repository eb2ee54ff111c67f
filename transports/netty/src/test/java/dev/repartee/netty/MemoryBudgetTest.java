package dev.repartee.netty;

import static dev.repartee.testkit.RawConnection.chunkedPost;
import static dev.repartee.testkit.RawConnection.frame;
import static dev.repartee.testkit.RawConnection.post;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Options;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.limits.MemoryBudget;
import dev.repartee.testkit.RawConnection;
import dev.repartee.testkit.memory.HeldWatch;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests the memory budget that the connections of a process share for messages, over HTTP and
 * WebSocket.
 */
class MemoryBudgetTest {
  private static final int TEXT = 0x81;
  private static final int TEXT_BEGINS = 0x01;
  private static final int CONTINUATION = 0x00;
  private static final String CALL = """
      {"jsonrpc":"2.0","method":"sum","params":[1,2],"id":1}""";
  private static final String ANSWER = """
      {"jsonrpc":"2.0","result":3,"id":1}""";
  private static final String AWAIT = """
      {"jsonrpc":"2.0","method":"await","params":[%s],"id":1}""".formatted(" ".repeat(40_000));
  private static final String BLOCK = " ".repeat(60_000);
  private static final int BLOCKS = 10;
  private static final long MUCH = (long) BLOCKS * BLOCK.length();

  private final MemoryBudget held = MemoryBudget.ofProcess();
  private final MemoryBudget.Share others = held.share(0);
  private final Methods methods = new Methods();
  private Server server;

  @BeforeEach
  void listen() throws Exception {
    server = Repartee.listen("http://127.0.0.1:0/", methods.service());
    awaitHeld(0, 0);
  }

  @AfterEach
  void nothingIsHeldAfterwards() throws Exception {
    others.hold(0);
    methods.released.countDown();
    awaitHeld(0, 0);
    server.close();
  }

  private void awaitHeld(long from, long to) throws InterruptedException {
    HeldWatch.await(held, from, to);
  }

  private void fill() {
    assertThat(others.hold(held.max())).isTrue();
  }

  /** A way for a message to arrive in part. */
  enum Way {
    BODY {
      @Override
      RawConnection begin(Server server) throws IOException {
        return new RawConnection(server)
            .send(post("").replace("Length: 0", "Length: " + (MUCH + CALL.length())));
      }

      @Override
      void part(RawConnection raw) throws IOException {
        raw.send(BLOCK);
      }

      @Override
      String finish(RawConnection raw) throws IOException {
        return raw.send(CALL).body();
      }

      @Override
      String refused(RawConnection raw) throws IOException {
        return raw.answer();
      }
    },

    CHUNKS {
      @Override
      RawConnection begin(Server server) throws IOException {
        return new RawConnection(server).send(chunkedPost());
      }

      @Override
      void part(RawConnection raw) throws IOException {
        raw.send(Integer.toHexString(BLOCK.length()) + "\r\n" + BLOCK + "\r\n");
      }

      @Override
      String finish(RawConnection raw) throws IOException {
        String last = Integer.toHexString(CALL.length()) + "\r\n" + CALL + "\r\n0\r\n\r\n";
        return raw.send(last).body();
      }

      @Override
      String refused(RawConnection raw) throws IOException {
        return raw.answer();
      }
    },

    FRAGMENTS {
      @Override
      RawConnection begin(Server server) throws IOException {
        return EarlyBytes.upgrade(server).send(frame(TEXT_BEGINS, new byte[0]));
      }

      @Override
      void part(RawConnection raw) throws IOException {
        raw.send(frame(CONTINUATION, BLOCK.getBytes(UTF_8)));
      }

      @Override
      String finish(RawConnection raw) throws IOException {
        return raw.send(frame(0x80, CALL.getBytes(UTF_8))).message();
      }

      @Override
      String refused(RawConnection raw) throws IOException {
        return raw.message();
      }
    },

    FRAME {
      @Override
      RawConnection begin(Server server) throws IOException {
        ByteBuffer head = ByteBuffer.allocate(14).put((byte) TEXT).put((byte) 0xFF);
        return EarlyBytes.upgrade(server)
            .send(head.putLong(MUCH + CALL.length()).array());
      }

      @Override
      void part(RawConnection raw) throws IOException {
        raw.send(BLOCK);
      }

      @Override
      String finish(RawConnection raw) throws IOException {
        return raw.send(CALL).message();
      }

      @Override
      String refused(RawConnection raw) throws IOException {
        return raw.message();
      }
    };

    abstract RawConnection begin(Server server) throws IOException;

    abstract void part(RawConnection raw) throws IOException;

    abstract String finish(RawConnection raw) throws IOException;

    abstract String refused(RawConnection raw) throws IOException;

    RawConnection most(Server server) throws IOException {
      RawConnection raw = begin(server);
      try {
        for (int i = 0; i < BLOCKS; i++) {
          part(raw);
        }
      } catch (SocketException e) {
        // Refused before all parts were sent.
      }
      return raw;
    }
  }

  // ---------------------------------------------------------------- nothing stays behind

  @ParameterizedTest
  @EnumSource
  void bytesOfAPartialMessageAreReleasedWhenItIsServed(Way way) throws Exception {
    try (RawConnection raw = way.most(server)) {
      awaitHeld(MUCH, 3 * MUCH);
      assertThat(way.finish(raw)).isEqualTo(ANSWER);
      awaitHeld(0, 0);
    }
  }

  @ParameterizedTest
  @EnumSource
  void bytesOfAPartialMessageAreReleasedWhenTheConnectionEnds(Way way) throws Exception {
    RawConnection raw = way.most(server);
    awaitHeld(MUCH, 3 * MUCH);
    raw.close();
    awaitHeld(0, 0);
  }

  @ParameterizedTest
  @EnumSource
  void bytesOfAPartialMessageAreReleasedWhenTheConnectionIsReset(Way way) throws Exception {
    try (RawConnection raw = way.most(server)) {
      awaitHeld(MUCH, 3 * MUCH);
      raw.socket().setSoLinger(true, 0);
    }
    awaitHeld(0, 0);
  }

  @ParameterizedTest
  @EnumSource
  void bytesOfAPartialMessageAreReleasedWhenItStops(Way way) throws Exception {
    Options hasty = Options.builder()
        .limits(limits -> limits.firstByteTimeout(Duration.ofMillis(500)))
        .build();
    try (Server impatient = Repartee.listen("http://127.0.0.1:0/", methods.service(), hasty);
        RawConnection raw = way.most(impatient)) {
      assertThat(raw.rest()).doesNotContain("result");
      awaitHeld(0, 0);
    }
  }

  @Test
  void bytesOfARunningCallAreReleasedWhenItHasFinished() throws Exception {
    try (RawConnection raw = new RawConnection(server)) {
      raw.send(post(AWAIT));
      awaitHeld(40_000, 50_000);
      methods.released.countDown();
      assertThat(raw.body()).contains("released");
    }
    awaitHeld(0, 0);
  }

  // ---------------------------------------------------------------- no room

  @ParameterizedTest
  @EnumSource
  void aMessageThatFindsNoRoomIsRefused(Way way) throws Exception {
    fill();
    try (RawConnection raw = way.most(server)) {
      assertThat(way.refused(raw))
          .satisfiesAnyOf(
              said -> assertThat(said)
                  .startsWith("HTTP/1.1 503 ")
                  .contains("the limit heldBytes of " + held.max() + " bytes"),
              said -> assertThat(said).isEqualTo("<close> 1013"));
    }
    awaitHeld(held.max(), held.max());
    try (RawConnection raw = new RawConnection(server)) {
      assertThat(raw.send(post(CALL)).body()).isEqualTo(ANSWER);
    }
  }

  @Test
  void aBodyThatUnpacksToMoreThanThereIsRoomForIsRefusedAndTheConnectionGoesOn() throws Exception {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
      gzip.write((" ".repeat(1 << 20) + CALL).getBytes(UTF_8));
    }
    String request = post(packed.toString(ISO_8859_1), "Content-Encoding: gzip");
    try (RawConnection raw = new RawConnection(server)) {
      assertThat(raw.send(request).body()).isEqualTo(ANSWER);
      awaitHeld(0, 0);
      fill();
      assertThat(raw.send(request).answer()).startsWith("HTTP/1.1 503 ");
      others.hold(0);
      assertThat(raw.send(request).body()).isEqualTo(ANSWER);
    }
  }

  @Test
  void aCallThatFindsNoRoomToRunIsAnsweredSo() throws Exception {
    assertThat(others.hold(held.max() - (70 << 10))).isTrue(); // for the body alone
    try (RawConnection raw = new RawConnection(server)) {
      assertThat(raw.send(post(AWAIT)).body()).isEqualTo("""
          {"jsonrpc":"2.0","error":{"code":-32000,"message":"Busy; try again later",\
          "data":{"limit":"heldBytes","max":%s}},"id":1}""".formatted(held.max()));
    }
  }

  @Test
  void aFrameThatIsNotAcceptedYetIsHeldUntilTheConnectionEnds() throws Exception {
    EmbeddedChannel channel = new EmbeddedChannel(new Inflow() {
      @Override
      boolean isReady() {
        return false;
      }

      @Override
      void process(ChannelHandlerContext ctx, Object message) {
        throw new AssertionError("it was not welcome");
      }
    });
    channel.writeInbound(new TextWebSocketFrame(Unpooled.wrappedBuffer(new byte[100_000])));
    assertThat(held.held()).isEqualTo(100_000);
    channel.close().sync();
    awaitHeld(0, 0);
  }

  @Test
  void anOldDraftOfWebSocketIsNotSpoken() throws Exception {
    try (RawConnection raw = new RawConnection(server)) {
      raw.send(RawConnection.handshake().replace("Version: 13", "Version: 8"));
      assertThat(raw.answer()).startsWith("HTTP/1.1 426 ").containsIgnoringCase("version: 13");
    }
  }
}
