package dev.repartee.servlet;

import dev.repartee.internal.Clock;
import dev.repartee.internal.Threads;
import dev.repartee.limits.Limits;
import dev.repartee.limits.TimeLimits;
import dev.repartee.transport.FrameService;
import dev.repartee.transport.OutboundFrame;
import dev.repartee.transport.http.HttpRequest;
import dev.repartee.transport.http.HttpResponse;
import dev.repartee.transport.http.HttpService;
import dev.repartee.transport.http.server.EventStream;
import dev.repartee.transport.http.server.ResponseFormat;
import dev.repartee.transport.http.server.ServedExchange;
import dev.repartee.transport.http.server.WholeResponse;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One request in a container, until its response is written.
 *
 * <p>The handlers run on the thread of the container. If the response is complete when they return,
 * that thread writes it, and the request is never asynchronous unless the client accepts events.
 * Everything else is written by a task on another thread. Its writes block. A container calls a
 * {@code WriteListener} only after the servlet has returned: a handler that waits for room in the
 * stream would wait for itself.
 *
 * <p>One thread at a time writes: the one that increments {@code due} from zero, or the task to
 * which it hands that over. It repeats {@link #step} until nobody has incremented the count.
 *
 * <p>The API does not report that a client has disconnected. A stream therefore sends comments:
 * after a second, and then at intervals of a quarter of its age, up to {@code LONGEST}. A failed
 * write abandons the calls. A second or so after the start a response that may be a stream becomes
 * one for that reason.
 */
final class ServletExchange extends ServedExchange implements AsyncListener {
  private static final Duration SHORTEST = Duration.ofSeconds(1);
  private static final Duration LONGEST = Duration.ofSeconds(15); // shorter than proxies allow

  private static final byte[] COMMENT = EventStream.comment();

  private final HttpServletRequest request;
  private final HttpServletResponse response;
  private final RequestFacts facts;
  private final Clock clock;
  private final long start;
  private final Consumer<ServletExchange> end;
  private final boolean isLast;
  private final AtomicInteger due = new AtomicInteger();

  /** True while the thread of the container serves, which then writes a whole response. */
  private volatile boolean serving = true;

  /** What is sent instead of the response; null if nothing has failed. */
  private volatile @Nullable HttpResponse failure;

  private volatile boolean commentDue;
  private volatile Clock.@Nullable Timer timer;

  /** Set before another thread may write. */
  private @Nullable AsyncContext async;

  /** True if the container has ended the request, whose objects must not be used any more. */
  private volatile boolean taken;

  // Written by the thread that writes.
  private boolean headed;
  private volatile boolean over;

  /**
   * Creates an exchange.
   *
   * @param end is called once at the end
   * @param isLast whether the client is asked to close its connection
   */
  ServletExchange(
      HttpServletRequest request,
      HttpServletResponse response,
      RequestFacts facts,
      Limits limits,
      @Nullable FrameService responder,
      ResponseFormat format,
      boolean isLast,
      Consumer<ServletExchange> end) {
    super(limits, responder, format);
    this.request = request;
    this.response = response;
    this.facts = facts;
    this.clock = TimeLimits.clock(limits);
    this.start = clock.nanos();
    this.isLast = isLast;
    this.end = end;
  }

  // ---------------------------------------------------------------- the thread of the container

  /** Serves a frame, with handlers on the calling thread, and writes the response if it is there. */
  void serve(FrameService service, byte[] frame, int size) {
    begin();
    service.serveHere(frame, 0, size, this, this::servedBy);
    served();
  }

  /** Lets a service reply. */
  void serve(HttpService service, HttpRequest whole) {
    begin();
    repliedBy(service, whole);
    served();
  }

  /** Writes the response to a request that is not served. */
  void answer(HttpResponse error) {
    refuse(error);
    served();
  }

  /** Ends the request, because serving it has failed; the container writes the response. */
  void failed() {
    if (!over) {
      taken = true;
      abandon();
      finish();
    }
  }

  private void begin() {
    if (events() != null) {
      startAsync();
      schedule();
    }
  }

  private void startAsync() {
    AsyncContext started = request.startAsync(request, response);
    started.setTimeout(0); // the limits of the calls hold
    started.addListener(this);
    async = started;
  }

  /**
   * Writes the response if it is complete. Otherwise another thread writes it, and this one returns
   * to the container.
   */
  private void served() {
    // First: a task that began to write now would do so while this thread returns to the container,
    // which ends a request that is not asynchronous.
    boolean mine = due.getAndIncrement() == 0;
    serving = false; // read after a response is set: one of the two threads sees the other
    if (!mine) {
      pump(); // a task writes the stream, and may have looked before
    } else if (whole() != null || failure != null) {
      run();
    } else {
      if (async == null) {
        startAsync();
      }
      Threads.start(Threads.CALLS, this::run);
    }
  }

  // ---------------------------------------------------------------- any thread

  @Override
  protected void write() {
    EventStream events = events();
    boolean streams = events != null && events.isBegun();
    if (streams || !serving) {
      pump();
    }
  }

  /** Lets a task write, unless a thread writes already; that thread looks again. */
  private void pump() {
    if (due.getAndIncrement() == 0) {
      Threads.start(Threads.CALLS, this::run);
    }
  }

  @Override
  protected void writeLater() {
    write();
  }

  @Override
  protected void cutOff() {
    fail(HttpResponse.text(500, "The reply could not be sent."));
  }

  /** Cancels the calls, because the server has closed. */
  void stop() {
    fail(HttpResponse.text(503, "The server is closing."));
  }

  /** Ends the request with an error, or a stream without its rest. */
  private void fail(HttpResponse error) {
    failure = error;
    abandon();
    write();
  }

  private void schedule() {
    long age = clock.nanos() - start;
    Duration quarter = Duration.ofNanos(age / 4);
    Duration pause = quarter.compareTo(SHORTEST) < 0
        ? SHORTEST
        : quarter.compareTo(LONGEST) > 0 ? LONGEST : quarter;
    timer = clock.schedule(pause, Runnable::run, () -> {
      commentDue = true;
      pump();
    });
  }

  // ---------------------------------------------------------------- the writing thread

  private void run() {
    int seen = 1;
    do {
      try {
        step();
      } catch (IOException | RuntimeException | Error e) {
        gone();
      }
      seen = due.addAndGet(-seen);
    } while (seen != 0);
  }

  private void step() throws IOException {
    HttpResponse failed = failure;
    WholeResponse whole = failed == null ? whole() : WholeResponse.of(failed);
    EventStream events = events();
    if (over) {
      return;
    }
    if (taken) {
      finish();
    } else if (whole != null && (failed != null || !serving)) {
      if (!headed) {
        write(whole);
      }
      finish();
    } else if (events != null) {
      boolean comment = commentDue;
      commentDue = false;
      if (comment) {
        schedule();
      }
      if (events.isBegun() || comment && mayStream() && breaksSilence()) {
        write(events, comment);
      }
    }
  }

  private void write(WholeResponse whole) throws IOException {
    headed = true;
    response.setStatus(whole.status());
    if (!whole.type().isEmpty()) {
      response.setContentType(whole.type());
    }
    head(whole.headers());
    whole.challenges().forEach(each -> response.addHeader(HttpResponse.CHALLENGE, each));
    int length = whole.contentLength(format().head());
    if (length >= 0) {
      response.setContentLength(length);
    }
    if (!format().head() && whole.size() > 0) {
      response.getOutputStream().write(whole.body(), 0, whole.size());
    }
  }

  private void head(Map<String, String> headers) {
    headers.forEach(response::setHeader);
    if (format().origin() != null) {
      response.setHeader("access-control-allow-origin", format().origin());
      response.addHeader("vary", "origin");
    }
    if (isLast && request.getProtocol().startsWith("HTTP/1")) {
      response.setHeader("connection", "close");
    }
  }

  private void write(EventStream events, boolean comment) throws IOException {
    ServletOutputStream out = response.getOutputStream();
    if (!headed) {
      headed = true;
      response.setStatus(200);
      head(streamHeaders());
    }
    boolean last;
    boolean emptied;
    boolean silent = true;
    do {
      last = events.isComplete();
      List<OutboundFrame> batch = new ArrayList<>();
      emptied = events.next(batch);
      silent &= batch.isEmpty();
      try {
        for (OutboundFrame event : batch) {
          out.write(event.array(), 0, event.size());
        }
        out.flush();
      } finally {
        events.left(batch);
      }
    } while (!emptied);
    if (last) {
      finish();
    } else if (comment && silent) {
      out.write(COMMENT);
      out.flush();
    }
  }

  /** Ends the request, because a write has failed: the client has disconnected, or it is a fault. */
  private void gone() {
    if (!over) {
      try {
        response.reset();
        response.setStatus(500);
      } catch (IllegalStateException e) {
        // It was sent in part, or the container has ended the request.
      }
      abandon();
      finish();
    }
  }

  private void finish() {
    over = true;
    Clock.Timer next = timer;
    if (next != null) {
      next.cancel();
    }
    if (isCharged()) {
      release();
    }
    facts.roles().end();
    AsyncContext started = async;
    if (started != null && !taken) {
      try {
        started.complete();
      } catch (IllegalStateException e) {
        // The container has ended the request after a failed write.
      }
    }
    end.accept(this);
  }

  // ---------------------------------------------------------------- events of the container

  @Override
  public void onError(AsyncEvent event) {
    ended();
  }

  @Override
  public void onTimeout(AsyncEvent event) {
    ended(); // there is no time limit, but a filter may set one
  }

  @Override
  public void onComplete(AsyncEvent event) {
    ended();
  }

  @Override
  public void onStartAsync(AsyncEvent event) {}

  /** Ends the request after the container has: its objects may belong to another request now. */
  private void ended() {
    if (!over) {
      taken = true;
      abandon();
      pump();
    }
  }
}
