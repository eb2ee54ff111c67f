package dev.repartee.servlet;

import dev.repartee.limits.Limits;
import dev.repartee.limits.TimeLimits;
import dev.repartee.transport.http.HttpResponse;
import dev.repartee.transport.http.server.MessageBuffer;
import dev.repartee.transport.http.server.RequestPolicy;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Reads the body of one request, on the thread of the container. The container limits the time of
 * one read; {@code firstByteTimeout} is checked between them.
 */
final class RequestBody implements TimeLimits.Connection {
  private static final int STEP = 8 << 10;

  private final RequestPolicy policy;
  private final Limits limits;
  private MessageBuffer message;
  private long received;

  RequestBody(RequestPolicy policy) {
    this.policy = policy;
    this.limits = policy.limits();
    this.message = new MessageBuffer(limits.frameBytes());
  }

  /** Returns the body, after decompression. */
  MessageBuffer message() {
    return message;
  }

  /** Returns the charge for the body to the memory budget. */
  void clear() {
    message.clear();
  }

  /** Reads the body; returns the response if it cannot be used, else null. */
  @Nullable HttpResponse read(HttpServletRequest request) {
    HttpResponse error;
    try {
      error = read(request.getInputStream(), (int) Math.min(STEP, request.getContentLengthLong()));
    } catch (IOException e) {
      // Tomcat answers with its page for the status. With this attribute the page has a stack
      // trace.
      request.removeAttribute(RequestDispatcher.ERROR_EXCEPTION);
      // A client that has disconnected does not read this response.
      boolean late =
          e instanceof SocketTimeoutException || e.getCause() instanceof TimeoutException;
      return late ? late() : HttpResponse.text(400, "The body is malformed, or not complete.");
    }
    return error == null && request.getHeader("content-encoding") != null ? decompress() : error;
  }

  private @Nullable HttpResponse read(InputStream in, int expected) throws IOException {
    TimeLimits times = new TimeLimits(limits, this);
    times.passed(); // the time of the first bytes begins
    byte[] step = new byte[expected > 0 ? expected : STEP];
    for (int n = in.read(step); n >= 0; n = in.read(step)) {
      received += n;
      if (!message.append(ByteBuffer.wrap(step, 0, n))) {
        return policy.bodyError(message.isCrowded());
      }
      if (times.passed() != null) {
        return late();
      }
    }
    return null;
  }

  private static HttpResponse late() {
    return HttpResponse.refused(408, "The request did not come in time.");
  }

  private @Nullable HttpResponse decompress() {
    MessageBuffer packed = message;
    message = new MessageBuffer(limits.frameBytes());
    try {
      return policy.decompress(packed, message);
    } finally {
      packed.clear();
    }
  }

  @Override
  public boolean isMessageDue() {
    return true;
  }

  @Override
  public int held() {
    return message.held();
  }

  @Override
  public long received() {
    return received;
  }

  @Override
  public @Nullable Object unread() {
    return null;
  }
}
