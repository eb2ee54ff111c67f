package dev.repartee.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.Lane;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Rpc;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.json.JsonWriter;
import dev.repartee.message.Codec;
import dev.repartee.message.Dialect;
import dev.repartee.message.JsonRpc;
import dev.repartee.message.ParsedFrame;
import dev.repartee.message.RpcError;
import dev.repartee.transport.DisconnectedException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests responses that cannot be written at all. */
class LostAnswersTest {
  /** A dialect that cannot write any response. */
  private static final class Mute implements Dialect, Codec {
    @Override
    public Codec codec() {
      return this;
    }

    @Override
    public void decode(byte[] frame, int from, int to, ParsedFrame into) {
      JsonRpc.STRICT.decode(frame, from, to, into);
    }

    @Override
    public void beginCall(JsonWriter out, long id, String method, boolean structured) {
      JsonRpc.STRICT.beginCall(out, id, method, structured);
    }

    @Override
    public void endCall(JsonWriter out, long id) {
      JsonRpc.STRICT.endCall(out, id);
    }

    @Override
    public void beginResult(JsonWriter out, byte[] bytes, int from, int to, String method) {}

    @Override
    public void endResult(JsonWriter out, byte[] bytes, int from, int to) {
      throw new OutOfMemoryError("by design");
    }

    @Override
    public void error(
        JsonWriter out, byte[] bytes, int from, int to, @Nullable String method, RpcError error) {
      throw new OutOfMemoryError("by design");
    }
  }

  /** The service. */
  public static final class Methods {
    @Rpc
    public int worker() {
      return 1;
    }

    @Rpc(lane = Lane.INLINE)
    public int inline() {
      return 1;
    }

    @Rpc
    public CompletionStage<Integer> stage() {
      return CompletableFuture.supplyAsync(() -> 1);
    }
  }

  private static Server serve(String scheme) throws IOException {
    Options mute = Options.builder().dialect(new Mute()).build();
    return Repartee.listen(scheme + "://127.0.0.1:0/", Service.of(new Methods()), mute);
  }

  private static String call(String method) {
    return """
        {"jsonrpc":"2.0","method":"%s","id":1}""".formatted(method);
  }

  @ParameterizedTest
  @ValueSource(strings = {"worker", "inline", "stage", "unknown"})
  void overHttpTheConnectionEnds(String method) throws Exception {
    try (Server server = serve("http")) {
      HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(server.endpoint() + ""))
          .header("Content-Type", "application/json");
      HttpClient client =
          HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
      for (String frame : new String[] {call(method), "[" + call(method) + "]"}) {
        HttpRequest post = request.POST(BodyPublishers.ofString(frame)).build();
        assertThatThrownBy(() -> client.send(post, BodyHandlers.ofString()))
            .isInstanceOf(IOException.class);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"worker", "inline", "stage", "unknown"})
  void overWebSocketTheConnectionEnds(String method) throws Exception {
    try (Server server = serve("ws");
        Peer peer = Repartee.connect(server.endpoint())) {
      assertThatThrownBy(() -> peer.call(method, int.class))
          .isInstanceOf(DisconnectedException.class);
      assertThat(
              peer.closed().toCompletableFuture().handle((ended, cause) -> true).get())
          .isTrue();
    }
  }
}
