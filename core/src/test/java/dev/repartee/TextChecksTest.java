package dev.repartee;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.internal.TextChecks;
import dev.repartee.message.RpcError;
import dev.repartee.transport.ChannelInfo;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A layer that can accept calls by their text handles only those that it does not accept. */
@NullMarked
class TextChecksTest {
  /** The methods that the layer checks. */
  @SuppressWarnings("unused") // called by reflection
  final class Methods {
    @Rpc(lane = Lane.INLINE)
    public int add(int a, int b) {
      events.add("add");
      return a + b;
    }

    @Rpc(lane = Lane.INLINE)
    public double divide(double a, double b) {
      events.add("divide");
      return a / b;
    }

    @Rpc
    public int onWorker() {
      return 7;
    }

    @Rpc(lane = Lane.INLINE)
    public void fail() {
      throw new IllegalStateException("by design");
    }
  }

  /** Accepts params and results with certain texts, and records everything else. */
  private final class Checks implements Layer, TextChecks, TextChecks.OfMethod {
    @Override
    public @Nullable OfMethod ofMethod(String name) {
      return name.startsWith("rpc.") ? null : this;
    }

    @Override
    public boolean acceptsParams(byte[] text, int from, int to) {
      events.add("params " + new String(text, from, to - from, UTF_8));
      return acceptsParams;
    }

    @Override
    public boolean acceptsResult(byte[] text, int from, int to) {
      events.add("result " + new String(text, from, to - from, UTF_8));
      return acceptsResult;
    }

    @Override
    public @Nullable Object handle(Call call, Handler next) throws Exception {
      events.add("handles " + call.method() + call.params() + call.id());
      Object result = next.handle(call);
      events.add("handled " + result);
      if (answersEarly) {
        call.cancel(new RpcError(9, "early"));
      }
      if (refuses) {
        throw new RpcException(8, "refused");
      }
      return result;
    }
  }

  private final List<String> events = new ArrayList<>();
  private boolean acceptsParams;
  private boolean acceptsResult;
  private boolean refuses;
  private boolean answersEarly;

  @BeforeEach
  void acceptAll() {
    acceptsParams = true;
    acceptsResult = true;
  }

  private String answer(String method, String params) throws InterruptedException {
    Listener listener = new Listener() {
      @Override
      public void failed(Call call, Throwable cause) {
        events.add("failed " + call.id() + " " + cause.getMessage());
      }
    };
    byte[] answer = FrameResponder.of(
            Service.of(new Methods()),
            Options.builder().layer(new Checks()).listener(listener).build(),
            new ChannelInfo("test", "", "message"))
        .respond(("{\"jsonrpc\":\"2.0\",\"method\":\"" + method + "\",\"params\":" + params
                + ",\"id\":1}")
            .getBytes(UTF_8));
    String text = new String(answer == null ? new byte[0] : answer, UTF_8);
    return text.substring(text.indexOf(',') + 1);
  }

  @Test
  void anAcceptedCallDoesNotPassThroughTheLayer() throws Exception {
    assertThat(answer("add", "[2, 3]")).isEqualTo("\"result\":5,\"id\":1}");
    assertThat(events).containsExactly("params [2, 3]", "add", "result 5");
  }

  @Test
  void aCallWithOtherParamsPassesThroughTheLayer() throws Exception {
    acceptsParams = false;
    assertThat(answer("add", "[2,3]")).isEqualTo("\"result\":5,\"id\":1}");
    assertThat(events).containsExactly("params [2,3]", "handles add[2,3]1", "add", "handled 5");
  }

  @Test
  void theLayerHandlesAnotherResultWithoutAnotherRunOfTheMethod() throws Exception {
    acceptsResult = false;
    assertThat(answer("add", "[2,3]")).isEqualTo("\"result\":5,\"id\":1}");
    assertThat(events)
        .containsExactly("params [2,3]", "add", "result 5", "handles add[2,3]1", "handled 5");
  }

  @Test
  void theLayerCanRefuseAnotherResult() throws Exception {
    acceptsResult = false;
    refuses = true;
    assertThat(answer("add", "[2,3]"))
        .isEqualTo("\"error\":{\"code\":8,\"message\":\"refused\"},\"id\":1}");
    assertThat(events).contains("add", "handled 5");
  }

  /** As a deadline that passes during the check, which may be long. */
  @Test
  void aCallCanBeAnsweredWhileItsResultIsChecked() throws Exception {
    acceptsResult = false;
    answersEarly = true;
    assertThat(answer("onWorker", "[]"))
        .isEqualTo("\"error\":{\"code\":9,\"message\":\"early\"},\"id\":1}");
  }

  @Test
  void theLayerHandlesAResultThatCannotBeWritten() throws Exception {
    assertThat(answer("divide", "[0,0]")).startsWith("\"error\":{\"code\":-32603");
    assertThat(events)
        .startsWith("params [0,0]", "divide", "handles divide[0,0]1", "handled NaN")
        .last()
        .asString()
        .startsWith("failed 1 ");
  }

  @Test
  void aFailureDoesNotPassThroughTheLayer() throws Exception {
    assertThat(answer("fail", "[]")).startsWith("\"error\":{\"code\":-32603");
    assertThat(events).containsExactly("params []", "failed 1 by design");
  }

  @Test
  void callsWithoutChecksPassThroughTheLayer() throws Exception {
    assertThat(answer("rpc.ping", "[]")).startsWith("\"result\":");
    assertThat(events).first().asString().startsWith("handles rpc.ping");
  }
}
