package dev.repartee.ssh;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Listener;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Rpc;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.limits.Limits;
import dev.repartee.transport.ChannelInfo;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.sshd.client.SshClient;
import org.apache.sshd.client.config.hosts.HostConfigEntryResolver;
import org.apache.sshd.client.session.ClientSession;
import org.apache.sshd.common.SshConstants;
import org.apache.sshd.common.io.IoWriteFuture;
import org.apache.sshd.common.keyprovider.KeyIdentityProvider;
import org.apache.sshd.common.util.buffer.Buffer;
import org.apache.sshd.core.CoreModuleProperties;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clients that try to harm the server. */
@Tag("ci")
class SshAbuseTest {
  private static final Duration LONG = Duration.ofSeconds(60);

  /** The number of requests that are written before the client waits for the last one. */
  private static final int BURST = 50;

  @TempDir
  Path folder;

  private final BlockingQueue<String> violations = new LinkedBlockingQueue<>();
  private Keys keys;
  private Server server;
  private SshClient client;

  /** The methods of the server. */
  public static final class Methods {
    private Methods() {}

    @Rpc
    public int add(int a, int b) {
      return a + b;
    }
  }

  @BeforeEach
  void listen() throws IOException {
    keys = Keys.in(folder);
    Options options = Options.builder()
        .limits(Limits.DEFAULT.toBuilder().connections(2).build())
        .listener(new Listener() {
          @Override
          public void violation(ChannelInfo channel, String what) {
            violations.add(what);
          }
        })
        .build();
    server = Repartee.listen(keys.listening(), Service.of(new Methods()), options);
    keys.know(port());
    client = SshClient.setUpDefaultClient();
    client.setServerKeyVerifier((session, address, key) -> true);
    client.setHostConfigEntryResolver(HostConfigEntryResolver.EMPTY);
    client.setKeyIdentityProvider(
        KeyIdentityProvider.wrapKeyPairs(List.of(PrivateKeys.read(keys.own()))));
    CoreModuleProperties.SOCKET_RCVBUF.set(client, 8_192);
    client.start();
  }

  @AfterEach
  void close() throws IOException {
    client.close(true);
    server.close(Duration.ZERO);
  }

  private int port() {
    return server.port();
  }

  private ClientSession session() throws IOException {
    return client.connect("somebody", "127.0.0.1", port()).verify(LONG).getSession();
  }

  private void assertThatOthersAreServed() throws IOException {
    try (Peer peer = Repartee.connect(keys.calling(port(), ""))) {
      assertThat(peer.call("add", int.class, 1, 2)).isEqualTo(3);
    }
  }

  private static Buffer request(ClientSession session, byte command, String what) {
    Buffer request = session.createBuffer(command, 64);
    request.putString(what);
    request.putBoolean(true);
    return request;
  }

  /** Sends requests without reading the answers, until the server ends the connection. */
  private static void flood(ClientSession session, byte command, String what) throws Exception {
    session.getIoSession().suspendRead();
    long end = System.nanoTime() + LONG.toNanos();
    try {
      while (session.isOpen() && System.nanoTime() < end) {
        for (int i = 1; i < BURST; i++) {
          session.writePacket(request(session, command, what));
        }
        IoWriteFuture written = session.writePacket(request(session, command, what));
        while (session.isOpen() && !written.await(10) && System.nanoTime() < end) {
          // The server does not read.
        }
      }
    } catch (IOException e) {
      // The connection has ended.
    }
    assertThat(System.nanoTime()).as("the time until the end").isLessThan(end);
  }

  @Test
  void aClientThatDoesNotReadTheAnswersBeforeItsLoginIsEnded() throws Exception {
    ClientSession session = session();
    session.waitFor(EnumSet.of(ClientSession.ClientSessionEvent.WAIT_AUTH), LONG);
    flood(session, SshConstants.SSH_MSG_SERVICE_REQUEST, "ssh-userauth");
    assertThatOthersAreServed();
  }

  @Test
  void aClientThatDoesNotReadTheAnswersAfterItsLoginIsEnded() throws Exception {
    ClientSession session = session();
    session.auth().verify(LONG);
    flood(session, SshConstants.SSH_MSG_GLOBAL_REQUEST, "keepalive@openssh.com");
    assertThatOthersAreServed();
  }

  @Test
  void connectionsAboveTheLimitAreEnded() throws Exception {
    session().auth().verify(LONG);
    session().auth().verify(LONG);
    ClientSession third = session();
    third.auth().await(LONG);
    third.waitFor(EnumSet.of(ClientSession.ClientSessionEvent.CLOSED), LONG);
    assertThat(third.isOpen()).isFalse();
    assertThat(violations.poll(LONG.toSeconds(), TimeUnit.SECONDS))
        .contains("there are 2 connections, the limit");
  }
}
