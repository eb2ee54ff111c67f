package dev.repartee.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.repartee.transport.Endpoint;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;

class TlsFaultsTest {
  private static final Endpoint ENDPOINT = Endpoint.parse("amqps://guest@127.0.0.1/math");

  @Test
  void aServerWithoutTlsIsNamed() throws Exception {
    Throwable fault = handshakeWith("INFO {}\r\n".getBytes(StandardCharsets.US_ASCII));

    assertThat(TlsFaults.text(fault, ENDPOINT))
        .isEqualTo("the server does not answer in TLS; name its port for TLS, or connect without"
            + " TLS");
  }

  @Test
  void aRefusedHandshakeMayComeFromAServerWithoutACertificate() throws Exception {
    Throwable fault = handshakeWith(new byte[] {21, 3, 3, 0, 2, 2, 40});

    assertThat(TlsFaults.text(fault, ENDPOINT))
        .startsWith("the server refuses TLS (handshake_failure): either it has no certificate for"
            + " this host, or it requires one from the client");
  }

  @Test
  void theReasonOfARefusalIsReadThoughTheServerHasEndedTheConnection() throws Exception {
    PatientSocket client = new PatientSocket();
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      client.connect(server.getLocalSocketAddress());
      try (Socket socket = server.accept()) {
        socket.getOutputStream().write(new byte[] {21, 3, 3, 0, 2, 2, 40});
        socket.setSoLinger(true, 0); // a reset follows, so that each write of the client fails
      }
    }

    assertThat(TlsFaults.refusal(SSLContext.getDefault(), client, "localhost", 0))
        .hasMessageContaining("handshake_failure");
  }

  @Test
  void aMissingFileIsNamed() {
    Endpoint endpoint = Endpoint.parse("amqps://guest@127.0.0.1/math#ca=no-such-file.pem");

    assertThatThrownBy(() -> ClientTls.of(endpoint, true))
        .isInstanceOf(IOException.class)
        .hasMessage("there is no file 'no-such-file.pem', which the option ca names");
  }

  /** Returns the failure of a handshake with a server that sends these bytes. */
  private static Throwable handshakeWith(byte[] answer) throws Exception {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      CompletableFuture<Void> served = CompletableFuture.runAsync(
          () -> {
            try (Socket socket = server.accept();
                OutputStream out = socket.getOutputStream()) {
              out.write(answer);
              out.flush();
              socket.getInputStream().transferTo(OutputStream.nullOutputStream());
            } catch (IOException e) {
              // The client has ended the connection.
            }
          },
          work -> new Thread(work).start());
      Throwable fault;
      try (SSLSocket client = (SSLSocket) SSLContext.getDefault()
          .getSocketFactory()
          .createSocket(server.getInetAddress(), server.getLocalPort())) {
        fault = catchThrowable(client::startHandshake);
      }
      served.join();
      return fault;
    }
  }
}
