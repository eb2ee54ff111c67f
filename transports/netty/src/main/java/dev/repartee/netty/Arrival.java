package dev.repartee.netty;

import dev.repartee.netty.http.NettyHead;
import dev.repartee.transport.Attributes;
import dev.repartee.transport.http.HttpGate;
import dev.repartee.transport.http.HttpRequest;
import dev.repartee.transport.http.HttpResponse;
import dev.repartee.transport.http.server.RequestPolicy;
import dev.repartee.transport.http.server.Route;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpUtil;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A request whose header has arrived, but not its whole body. Used by the event loop only. */
final class Arrival {
  final NettyHead head;
  final Route route;

  /** Whether the client waits for {@code 100 Continue} before it sends the body. */
  boolean awaitsContinue;

  /** Whether the header is the whole request, which is completed after the decision of the gate. */
  boolean isWhole;

  private Attributes attributes;

  /** The decision of the gate until {@link #refusal} reads it; null if there is none to read. */
  private @Nullable CompletableFuture<HttpGate.Verdict> verdict;

  /**
   * Creates an arrival.
   *
   * @param attributes the attributes of the request
   */
  Arrival(NettyHead head, Route route, Attributes attributes) {
    this.head = head;
    this.route = route;
    this.attributes = attributes;
    this.awaitsContinue = HttpUtil.is100ContinueExpected(head.request());
  }

  /** Returns the attributes of the calls. */
  Attributes attributes() {
    return attributes;
  }

  /**
   * Asks the gate of the route, if there is one.
   *
   * @param decided runs on the event loop if the gate decides later
   * @return whether the decision is known
   */
  boolean ask(ChannelHandlerContext ctx, RequestContext facts, Runnable decided) {
    if (route.gate() == null) {
      return true;
    }
    HttpRequest request =
        facts.serviceRequest(ctx.channel(), head.request(), RequestContext.NO_BODY, attributes);
    HttpGate gate = route.gate(request.path());
    if (gate == null) {
      return true;
    }
    CompletableFuture<HttpGate.Verdict> asked = gate.admit(request).toCompletableFuture();
    verdict = asked;
    if (asked.isDone()) {
      return true;
    }
    HalfClose.allow(ctx.channel(), !head.isHttp10() && !RequestPolicy.isUpgrade(head));
    asked.thenRun(() -> ctx.executor().execute(decided));
    return false;
  }

  /** Returns whether the gate was asked and {@link #refusal} has not read its decision. */
  boolean isUndecided() {
    return verdict != null;
  }

  /** Ends the wait for the gate. Returns the response to a refused request; null for others. */
  @Nullable HttpResponse refusal() {
    if (verdict == null) {
      return null;
    }
    HttpGate.Verdict known = verdict.join();
    verdict = null;
    attributes = known.attributes();
    return known.refusal();
  }
}
