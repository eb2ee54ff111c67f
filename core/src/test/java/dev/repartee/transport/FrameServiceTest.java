package dev.repartee.transport;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Call;
import dev.repartee.FrameResponder;
import dev.repartee.Listener;
import dev.repartee.Options;
import dev.repartee.Service;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Frames that are served without a connection. */
class FrameServiceTest {
  private static final ChannelInfo INFO = new ChannelInfo("test", "somebody", "message");
  private static final Attribute<String> USER = Attribute.named("user");

  private final BlockingQueue<String> said = new LinkedBlockingQueue<>();

  private FrameResponder.InFlightFrame serve(
      FrameResponder responder, String frame, boolean streams) {
    byte[] bytes = frame.getBytes(UTF_8);
    return responder.serve(bytes, 0, bytes.length, outlet(streams));
  }

  private FrameSink outlet(boolean streams) {
    return new FrameSink() {
      @Override
      public OutboundFrame open() {
        return new OutboundFrame(Integer.MAX_VALUE);
      }

      @Override
      public void commit(OutboundFrame out) {
        said.add(out.toString());
      }

      @Override
      public boolean streams() {
        return streams;
      }
    };
  }

  private static String call(String method) {
    return """
        {"jsonrpc":"2.0","method":"%s","id":1}""".formatted(method);
  }

  private String next() throws InterruptedException {
    String next = said.poll(60, TimeUnit.SECONDS);
    assertThat(next).as("something said").isNotNull();
    return next;
  }

  @Test
  void progressComesBeforeTheReplyWhereTheOutletStreams() throws InterruptedException {
    Service service = Service.builder()
        .method("work", call -> {
          call.progress("half");
          return "done";
        })
        .build();
    FrameResponder responder = FrameResponder.of(service, Options.DEFAULT, INFO);
    CountDownLatch done = new CountDownLatch(1);
    serve(responder, call("work"), true).whenDone(done::countDown);
    assertThat(next()).contains("rpc.progress", "\"half\"");
    assertThat(next()).isEqualTo("""
        {"jsonrpc":"2.0","result":"done","id":1}""");
    assertThat(done.await(60, TimeUnit.SECONDS)).isTrue();
    serve(responder, call("work"), false);
    assertThat(next()).contains("\"done\"");
  }

  @Test
  void theTransportsFactsAboutTheCallerAreAmongTheAttributes() throws InterruptedException {
    Service service = Service.builder()
        .method(
            "who", call -> call.attributes().get(USER) + "@" + call.channel().remote())
        .build();
    FrameResponder responder = FrameResponder.of(service, Options.DEFAULT, INFO)
        .of(new ChannelInfo("test", "home", "message"), Attributes.of(USER, "me"));
    serve(responder, call("who"), false);
    assertThat(next()).contains("\"me@home\"");
  }

  @Test
  void aCallOfADisconnectedClientIsCancelledWithoutAnAnswer() throws InterruptedException {
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch told = new CountDownLatch(1);
    Service service = Service.builder()
        .method("work", call -> {
          call.cancellation().onCancel(told::countDown);
          started.countDown();
          assertThat(told.await(60, TimeUnit.SECONDS)).isTrue();
          return "nobody hears this";
        })
        .build();
    CountDownLatch done = new CountDownLatch(1);
    FrameResponder.InFlightFrame inFlight =
        serve(FrameResponder.of(service, Options.DEFAULT, INFO), call("work"), true);
    inFlight.whenDone(done::countDown);
    assertThat(started.await(60, TimeUnit.SECONDS)).isTrue();
    inFlight.abandon();
    assertThat(done.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(said).isEmpty();
  }

  @Test
  void aHandlerThatCallsBackGetsAnException() throws InterruptedException {
    BlockingQueue<Throwable> failures = new LinkedBlockingQueue<>();
    Options options = Options.builder()
        .listener(new Listener() {
          @Override
          public void failed(Call call, Throwable cause) {
            failures.add(cause);
          }
        })
        .build();
    Service service = Service.builder()
        .method("ask", call -> call.peer().call("x", int.class))
        .build();
    serve(FrameResponder.of(service, options, INFO), call("ask"), true);
    assertThat(next()).contains("-32603");
    assertThat(failures.remove()).hasMessageContaining("cannot call back");
  }

  @Test
  void framesThatWereServedAreNotHeldUntilTheirTimeIsOver() throws Exception {
    Options limited = Options.builder()
        .limits(limits -> limits.handlerTimeout(Duration.ofHours(1)))
        .build();
    Service service = Service.builder().method("work", call -> "done").build();
    FrameResponder responder = FrameResponder.of(service, limited, INFO);
    ReferenceQueue<FrameSink> forgotten = new ReferenceQueue<>();
    List<WeakReference<FrameSink>> held = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      held.add(serveOnce(responder, forgotten));
      next();
    }
    int found = 0;
    for (int i = 0;
        i < 100 && found < 18;
        i++) { // the sleeping sweeper may still refer to the last
      System.gc();
      found += forgotten.remove(50) == null ? 0 : 1;
    }
    assertThat(found).isEqualTo(18);
    assertThat(held).hasSize(20);
  }

  /** A method of its own, so that no reference to the outlet stays on the stack. */
  private WeakReference<FrameSink> serveOnce(
      FrameResponder responder, ReferenceQueue<FrameSink> forgotten) {
    byte[] bytes = call("work").getBytes(UTF_8);
    FrameSink outlet = outlet(false);
    responder.serve(bytes, 0, bytes.length, outlet);
    return new WeakReference<>(outlet, forgotten);
  }
}
