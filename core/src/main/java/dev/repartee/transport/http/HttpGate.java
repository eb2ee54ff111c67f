package dev.repartee.transport.http;

import dev.repartee.transport.Attributes;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Admits or refuses the HTTP requests and WebSocket handshakes of one path, for example by their
 * credentials. An HTTP transport asks the gate after its own checks, before it reads the body of a
 * request and before it answers {@code Expect: 100-continue}. CORS preflights carry no credentials,
 * and pass without a question. While the gate decides, the transport reads no further part of the
 * connection (of HTTP/2: of the stream). If the client disconnects or the server closes before the
 * decision, the verdict is ignored. Thread-safe.
 */
@FunctionalInterface
public interface HttpGate {
  /**
   * Decides about a request. Runs on a thread that reads connections; must not block, and throws
   * nothing.
   *
   * @param request the request with an empty body
   * @return a stage that never fails, and completes within a bounded time; a decision without a
   *     delay is a complete one
   */
  CompletionStage<Verdict> admit(HttpRequest request);

  /**
   * A decision about a request.
   *
   * @param refusal the response to a request that is refused; null if it is admitted
   * @param attributes the attributes of the request and of its calls from now on; unused if it is
   *     refused
   */
  record Verdict(@Nullable HttpResponse refusal, Attributes attributes) {
    /** Admits the request, with these attributes instead of its own. */
    public static Verdict admitted(Attributes attributes) {
      return new Verdict(null, attributes);
    }

    /** Refuses the request. */
    public static Verdict refused(HttpResponse refusal) {
      return new Verdict(refusal, Attributes.NONE);
    }
  }
}
