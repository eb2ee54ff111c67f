package dev.repartee.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.framing.Framing;
import dev.repartee.json.Json;
import dev.repartee.limits.Limits;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Channels over streams, processes and sockets of the user. */
class ChannelOverTest {
  private static final Service SERVICE = Service.builder()
      .method("twice", Integer[].class, Integer.class, (params, call) -> 2 * params[0])
      .build();

  @ParameterizedTest
  @EnumSource(
      value = Framing.class,
      names = {"LINES", "CONTENT_LENGTH"})
  void twoPeersSpeakOverPipesOfTheUser(Framing framing) throws Exception {
    PipedInputStream here = new PipedInputStream();
    PipedInputStream there = new PipedInputStream();
    PipedOutputStream toHere = new PipedOutputStream(here);
    PipedOutputStream toThere = new PipedOutputStream(there);
    Peer server = Peer.open(
        Channel.over(there, toHere, Framing.AUTO, Limits.DEFAULT), SERVICE, Options.DEFAULT);
    try (Peer peer = Peer.open(
        Channel.over(here, toThere, framing, Limits.DEFAULT), Service.NONE, Options.DEFAULT)) {
      assertThat(peer.call("twice", int.class, 21)).isEqualTo(42);
    }
    server.closed().toCompletableFuture().get(60, TimeUnit.SECONDS);
    assertThat(server.isOpen()).isFalse();
  }

  @Test
  void aProcessOfTheUserHasItsOwnFolderAndEndsWithTheChannel(@TempDir Path folder)
      throws Exception {
    ProcessBuilder builder = new ProcessBuilder("sh", "-c", """
        read line; printf '{"jsonrpc":"2.0","id":1,\
        "result":"%s %s"}\\n' "$(pwd -P)" "$COLOUR"; cat > /dev/null""").directory(folder.toFile());
    builder.environment().put("COLOUR", "blue");
    Process process = builder.start();
    Channel channel = Channel.over(process, Framing.LINES, Limits.DEFAULT);
    try (Peer peer = Peer.open(channel, Service.NONE, Options.DEFAULT)) {
      assertThat(peer.call("where", String.class)).isEqualTo(folder.toRealPath() + " blue");
      assertThat(peer.channel().other()).doesNotContain("printf");
    }
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void aProcessIsStartedAndEndedByItsChannel(@TempDir Path folder) throws Exception {
    ProcessBuilder builder = new ProcessBuilder("sh", "-c", """
        read line; printf '{"jsonrpc":"2.0","id":1,"result":["%s",\
        %s]}\\n' "$(pwd -P)" $$; exec sleep 600""").directory(folder.toFile());
    ProcessHandle process;
    try (Peer peer = Peer.open(
        Channel.over(builder, Framing.LINES, Limits.DEFAULT), Service.NONE, Options.DEFAULT)) {
      List<Json> where = peer.call("where", Json.class).elements();
      assertThat(where.get(0).as(String.class)).isEqualTo(folder.toRealPath().toString());
      process = ProcessHandle.of(where.get(1).as(long.class)).orElseThrow();
      assertThat(peer.channel().other()).isEqualTo("sh");
    }
    process.onExit().get(60, TimeUnit.SECONDS);
  }

  @Test
  void aProcessWhoseOutputIsRedirectedIsRefused() {
    ProcessBuilder builder =
        new ProcessBuilder("no-such-program").redirectOutput(ProcessBuilder.Redirect.DISCARD);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Channel.over(builder, Framing.LINES, Limits.DEFAULT))
        .withMessageContaining("'no-such-program' carry the messages");
  }

  @Test
  void aConnectedSocketOfTheUserIsServed() throws Exception {
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", SERVICE)) {
      URI uri = URI.create(server.endpoint().toString());
      SocketChannel socket =
          SocketChannel.open(new InetSocketAddress(uri.getHost(), uri.getPort()));
      Channel channel = Channel.over(socket, Framing.LINES, Limits.DEFAULT);
      try (Peer peer = Peer.open(channel, Service.NONE, Options.DEFAULT)) {
        assertThat(peer.call("twice", int.class, 4)).isEqualTo(8);
        assertThat(peer.channel().other()).isEqualTo(uri.getHost() + ":" + uri.getPort());
      }
    }
  }

  @Test
  void aSocketThatIsNotConnectedIsRefused() throws Exception {
    try (SocketChannel socket = SocketChannel.open()) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> Channel.over(socket, Framing.LINES, Limits.DEFAULT))
          .withMessageStartingWith("the socket is not connected");
    }
  }
}
