package dev.repartee.transport;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.Recorder;
import dev.repartee.internal.UnixSocketFile;
import dev.repartee.limits.Limits;
import java.io.IOException;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class UnixChannelTest {
  private final List<Transport.Listening> opened = new ArrayList<>();
  private Path directory = Path.of("");

  @BeforeEach
  void makeDirectory() throws IOException {
    directory = Files.createTempDirectory("rp"); // JUnit's paths are too long for a socket
  }

  @AfterEach
  void closeAll() throws IOException {
    opened.forEach(Transport.Listening::close);
    try (var files = Files.walk(directory)) {
      for (Path file : files.sorted(java.util.Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  private Transport.Listening listen(Path path) throws IOException {
    Endpoint endpoint = Endpoint.parse("unix:" + path);
    Transport.Listening listening = Transports.of(endpoint)
        .listen(endpoint, Limits.DEFAULT, channel -> channel.start(Recorder.echo(channel)));
    synchronized (opened) {
      opened.add(listening);
    }
    return listening;
  }

  private static void echoes(Path path) throws Exception {
    Endpoint endpoint = Endpoint.parse("unix:" + path);
    Channel channel = Transports.of(endpoint).connect(endpoint, Limits.DEFAULT, Headers.NONE);
    Recorder client = Recorder.on(channel);
    Recorder.send(channel, "{}");
    assertThat(client.next().strip()).isEqualTo("{}");
    assertThat(channel.info()).isEqualTo(new ChannelInfo("unix", path.toString(), "lines"));
    channel.close();
    assertThat(client.end()).isEmpty();
  }

  private static String mode(Path file) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
  }

  @Test
  void theSocketIsItsOwnersAloneAndSoAreDirectoriesMadeForIt() throws Exception {
    Path path = directory.resolve("a/b/s");
    assertThat(listen(path).endpoint()).hasToString("unix:" + path);
    assertThat(mode(path)).isEqualTo("rw-------");
    assertThat(mode(path.getParent())).isEqualTo("rwx------");
    assertThat(mode(path.getParent().getParent())).isEqualTo("rwx------");
    try (var beside = Files.list(path.getParent())) {
      assertThat(beside).containsExactly(path);
    }
    echoes(path);
  }

  @Test
  void theSocketIsRemovedOnClose() throws Exception {
    Path path = directory.resolve("s");
    listen(path).close();
    assertThat(path).doesNotExist();
  }

  @Test
  void aRelativePathIsFine() throws Exception {
    Path path = Path.of("").toAbsolutePath().relativize(directory.resolve("s"));
    assertThat(listen(path).endpoint()).hasToString("unix:" + path);
    echoes(path);
  }

  @Test
  void aStaleSocketIsReplaced() throws Exception {
    Path path = directory.resolve("s");
    try (ServerSocketChannel dead = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      dead.bind(UnixDomainSocketAddress.of(path));
    }
    assertThat(path).exists();
    listen(path);
    assertThat(mode(path)).isEqualTo("rw-------");
    echoes(path);
  }

  @Test
  void aLiveSocketIsRefused() throws Exception {
    Path path = directory.resolve("s");
    listen(path);
    assertThatThrownBy(() -> listen(path))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("in use");
    echoes(path);
  }

  @Test
  void aFileThatIsNotASocketIsRefusedAndNotChanged() throws Exception {
    Path path = Files.writeString(directory.resolve("s"), "data");
    assertThatThrownBy(() -> listen(path))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("is not a socket");
    assertThat(path).hasContent("data");
    Path link = Files.createSymbolicLink(directory.resolve("l"), directory.resolve("nothing"));
    assertThatThrownBy(() -> listen(link)).hasMessageContaining("is not a socket");
  }

  @Test
  void noFileBesideTheSocketIsTouched() throws Exception {
    Path path = directory.resolve("app");
    Path lock = Files.writeString(directory.resolve("app.lock"), "precious");
    Path hidden = Files.writeString(directory.resolve(".app.lock"), "precious");
    listen(path).close();
    assertThat(lock).hasContent("precious");
    assertThat(hidden).hasContent("precious");
    try (var left = Files.list(directory)) {
      assertThat(left).containsExactlyInAnyOrder(lock, hidden);
    }
  }

  @Test
  void aLockFileOfAKilledServerDoesNotBlockOthers() throws Exception {
    Files.writeString(directory.resolve(".s.repartee-lock"), "\0\0\0");
    Path path = directory.resolve("s");
    listen(path);
    try (var left = Files.list(directory)) {
      assertThat(left).containsExactly(path);
    }
  }

  @Test
  void aConnectFailsWithAClearMessageWhenItsThreadIsInterrupted() throws Exception {
    Endpoint endpoint = listen(directory.resolve("s")).endpoint();
    Thread.currentThread().interrupt();
    assertThatThrownBy(
            () -> Transports.of(endpoint).connect(endpoint, Limits.DEFAULT, Headers.NONE))
        .isInstanceOf(IOException.class)
        .hasMessageEndingWith("the waiting thread was interrupted");
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void aServerWithAFullBacklogIsInUse() throws Exception {
    Path path = directory.resolve("s");
    List<SocketChannel> waiting = new ArrayList<>();
    try (ServerSocketChannel busy = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      busy.bind(UnixDomainSocketAddress.of(path), 1);
      try {
        while (true) {
          SocketChannel client = SocketChannel.open(StandardProtocolFamily.UNIX);
          waiting.add(client);
          client.configureBlocking(false);
          client.connect(UnixDomainSocketAddress.of(path));
        }
      } catch (SocketException full) {
        assertThatThrownBy(() -> listen(path))
            .isInstanceOf(IOException.class)
            .hasMessageContaining("in use");
      }
      assertThat(path).exists();
    } finally {
      for (SocketChannel client : waiting) {
        client.close();
      }
    }
  }

  @Test
  void theSocketOfASuccessorIsNotRemoved() throws Exception {
    Path path = directory.resolve("s");
    Transport.Listening first = listen(path);
    Files.delete(path);
    listen(path);
    first.close();
    assertThat(path).exists();
    echoes(path);
  }

  @Test
  void ofServersThatStartTogetherOneWins() throws Exception {
    Path path = directory.resolve("s");
    try (ServerSocketChannel dead = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      dead.bind(UnixDomainSocketAddress.of(path));
    }
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try {
      Callable<Boolean> start = () -> {
        try {
          listen(path);
          return true;
        } catch (IOException e) {
          assertThat(e).hasMessageContaining("in use");
          return false;
        }
      };
      int won = 0;
      for (Future<Boolean> one : threads.invokeAll(java.util.Collections.nCopies(8, start))) {
        won += one.get() ? 1 : 0;
      }
      assertThat(won).isEqualTo(1);
    } finally {
      threads.shutdownNow();
    }
    echoes(path);
  }

  @Test
  void aPathTooLongForTheKernelIsRefusedWithTheRemedy() {
    assertThatThrownBy(() -> listen(directory.resolve("x".repeat(100))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("choose a shorter one");
  }

  @Test
  void theLongestPathWorks() throws Exception {
    int rest = UnixSocketFile.MAX_BYTES - directory.toString().length() - 3;
    Path path = directory.resolve("d".repeat(rest)).resolve("s");
    assertThat(path.toString()).hasSize(UnixSocketFile.MAX_BYTES);
    listen(path);
    echoes(path);
  }

  @Test
  void framesSentBeforeAPeerExitedAreDelivered() throws Exception {
    Path path = directory.resolve("s");
    try (ServerSocketChannel raw = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      raw.bind(UnixDomainSocketAddress.of(path));
      Endpoint endpoint = Endpoint.parse("unix:" + path);
      Channel channel = Transports.of(endpoint).connect(endpoint, Limits.DEFAULT, Headers.NONE);
      try (SocketChannel peer = raw.accept()) {
        peer.write(ByteBuffer.wrap("[1]\n[2]\n".getBytes(UTF_8)));
      }
      Recorder client = new Recorder(channel);
      client.talkative = true; // so that a write finds out that the peer is gone
      channel.start(client);
      Recorder.send(channel, "[\"nobody reads this\"]");
      assertThat(client.next().strip()).isEqualTo("[1]");
      assertThat(client.next().strip()).isEqualTo("[2]");
      client.end();
    }
  }

  @Test
  void aSocketThatIsNotThereIsNamed() {
    Endpoint endpoint = Endpoint.parse("unix:" + directory.resolve("none"));
    assertThatThrownBy(
            () -> Transports.of(endpoint).connect(endpoint, Limits.DEFAULT, Headers.NONE))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("cannot connect to " + endpoint);
  }
}
