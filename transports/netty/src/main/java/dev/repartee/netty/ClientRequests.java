package dev.repartee.netty;

import dev.repartee.limits.Limits;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.http.HttpSender;
import dev.repartee.transport.http.server.TransportHeaders;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Sends single HTTP requests to one server, over a {@link ClientPool}. Thread-safe. */
final class ClientRequests implements HttpSender {
  private final ClientPool pool;

  // Used by the event loop only.
  private final Set<Pending> pending = new HashSet<>();
  private boolean closed;

  ClientRequests(Dialer dialer, Limits limits) {
    this.pool = new ClientPool(dialer, limits);
  }

  @Override
  public Sent send(Request request, Answer answer) {
    TransportHeaders.refuse(request.headers());
    Pending sent = new Pending(request, answer);
    if (pool.loop.inEventLoop()) {
      sent.begin();
    } else {
      pool.loop.execute(sent::begin);
    }
    return sent;
  }

  @Override
  public void close() {
    pool.loop.execute(() -> {
      closed = true;
      Set.copyOf(pending).forEach(Pending::abandon);
      pool.close();
    });
  }

  /** A request from its sending to the end of its answer. */
  private final class Pending extends ClientRequest implements Sent {
    private final Request request;
    private final Answer answer;
    private @Nullable ScheduledFuture<?> late;

    Pending(Request request, Answer answer) {
      this.request = request;
      this.answer = answer;
    }

    void begin() {
      if (isOver()) {
        return;
      }
      if (closed) {
        String server = pool.address().authority();
        end(new DisconnectedException("the client of " + server + " is closed", null));
        return;
      }
      pending.add(this);
      if (request.timeout() != null) {
        late = pool.loop.schedule(this::expire, request.timeout().toNanos(), TimeUnit.NANOSECONDS);
      }
      pool.send(this);
    }

    private void expire() {
      abandon();
      answer.end(new TimeoutException(
          pool.address().authority() + " has not answered within " + request.timeout()));
    }

    @Override
    FullHttpRequest encoded() {
      FullHttpRequest encoded = pool.encoded(
          request.method(),
          request.target(),
          Unpooled.wrappedBuffer(request.body(), request.from(), request.to() - request.from()));
      request.headers().fields().forEach(encoded.headers()::set);
      return encoded;
    }

    /** Reports the head. The names of fields are in lower case, as {@link Answer} demands. */
    @Override
    void head(HttpResponse head) {
      stopClock();
      Map<String, List<String>> headers = new LinkedHashMap<>();
      head.headers()
          .forEach(field -> headers
              .computeIfAbsent(field.getKey().toLowerCase(Locale.ROOT), name -> new ArrayList<>(1))
              .add(field.getValue()));
      answer.head(head.status().code(), headers);
    }

    private void stopClock() {
      if (late != null) {
        late.cancel(false);
      }
    }

    @Override
    boolean content(ByteBuf bytes, boolean isLast) {
      byte[] copy = ByteBufUtil.getBytes(bytes);
      return copy.length == 0 || isOver() || answer.content(copy, 0, copy.length);
    }

    @Override
    void ended(@Nullable Throwable cause) {
      left();
      answer.end(cause);
    }

    private void left() {
      stopClock();
      pending.remove(this);
    }

    @Override
    void abandon() {
      super.abandon();
      left();
    }

    @Override
    public void readOn() {
      pool.loop.execute(this::resume);
    }

    @Override
    public void cancel() {
      pool.loop.execute(this::abandon);
    }
  }
}
