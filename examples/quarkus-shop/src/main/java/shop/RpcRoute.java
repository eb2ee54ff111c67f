package shop;

import dev.repartee.FrameResponder;
import dev.repartee.Layer;
import dev.repartee.Options;
import dev.repartee.Service;
import dev.repartee.message.Dialect;
import dev.repartee.message.RpcError;
import dev.repartee.transport.Attributes;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.FrameService;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.security.ForbiddenException;
import io.quarkus.security.UnauthorizedException;
import io.quarkus.security.identity.CurrentIdentityAssociation;
import io.quarkus.vertx.http.runtime.security.QuarkusHttpUser;
import io.smallrye.common.vertx.VertxContext;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.BodyHandler;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;

/** Serves the beans at {@code POST /rpc}, on the port of the application. */
@ApplicationScoped
public class RpcRoute {
  private static final int LIMIT = 1 << 20;
  private static final int REQUESTS = 200;

  private final Semaphore room = new Semaphore(REQUESTS);
  private final FrameResponder responder;

  RpcRoute(
      Shop shop,
      Vertx vertx,
      CurrentIdentityAssociation identities,
      MeterRegistry metrics) {
    Options options = Options.builder()
        .limits(limits -> limits.frameBytes(LIMIT))
        .dialect(Dialect.withHttpStatuses(401, 403))
        .mapException(UnauthorizedException.class, new RpcError(401, "Unauthorized"))
        .mapException(ForbiddenException.class, new RpcError(403, "Forbidden"))
        .executor(task -> onWorker(vertx, task))
        .layer(Layer.timing(new CallMetrics(metrics)))
        .layer(new IdentityLayer(identities))
        .build();
    responder = FrameResponder.of(
        Service.of(Shop.class, shop), options, new ChannelInfo("quarkus", "", "message"));
  }

  /**
   * Runs a task on a worker of Quarkus, which may block. The task gets its own Vert.x context, which
   * keeps the request context of CDI: calls of one batch run at the same time, and would end each
   * other's request context in the shared Vert.x context of the HTTP request.
   */
  private static void onWorker(Vertx vertx, Runnable task) {
    VertxContext.createNewDuplicatedContext(vertx.getOrCreateContext())
        .executeBlocking(Executors.callable(task), false);
  }

  void route(@Observes Router router) {
    router.post("/rpc")
        .consumes("application/json")
        .handler(BodyHandler.create(false).setBodyLimit(LIMIT - 1))
        .handler(this::serve);
  }

  /** Returns the number of requests that would be served now, in addition to the running ones. */
  int room() {
    return room.availablePermits();
  }

  private void serve(RoutingContext exchange) {
    if (!room.tryAcquire()) {
      exchange.response().setStatusCode(503).putHeader("Retry-After", "1").end();
      return;
    }
    Attributes facts = exchange.user() instanceof QuarkusHttpUser user
        ? Attributes.of(IdentityLayer.IDENTITY, user.getSecurityIdentity())
        : Attributes.NONE;
    String remote = String.valueOf(exchange.request().remoteAddress());
    byte[] body = exchange.body().buffer() == null
        ? new byte[0]
        : exchange.body().buffer().getBytes();
    Reply reply = new Reply(LIMIT);
    FrameService.InFlight calls = responder
        .of(new ChannelInfo("quarkus", remote, "message"), facts)
        .serve(body, 0, body.length, reply);
    exchange.response().closeHandler(closed -> calls.abandon()); // cancels the running calls
    calls.whenDone(() -> {
      room.release();
      answer(exchange, reply);
    });
  }

  private void answer(RoutingContext exchange, Reply reply) {
    byte[] text = reply.text();
    if (reply.failure() != null) {
      exchange.fail(reply.failure());
    } else if (text == null) {
      exchange.response().setStatusCode(responder.httpNotificationStatus()).end();
    } else {
      exchange
          .response()
          .setStatusCode(responder.httpStatus(reply.errorCode()))
          .putHeader("Content-Type", "application/json")
          .end(Buffer.buffer(text));
    }
  }
}
