package dev.repartee.examples.guides;

import dev.repartee.*;
import dev.repartee.transport.*;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.security.Principal;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

public class RpcServlet extends HttpServlet {
  public static final Attribute<Principal> USER = Attribute.named("user");
  private static final ChannelInfo CHANNEL = new ChannelInfo("servlet", "", "message");
  private static final long serialVersionUID = 1;

  private final transient FrameResponder responder;
  private final transient Semaphore room = new Semaphore(200); // requests at once

  public RpcServlet(Service service, Options options) {
    responder = FrameResponder.of(service, options, CHANNEL);
  }

  @Override
  protected void doPost(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    String type = request.getContentType();
    if (type == null || !type.matches("(?i)application/json *(;.*)?")) {
      response.sendError(415, "Send application/json.");
      return;
    }
    int limit = responder.options().limits().frameBytes();
    byte[] body = request.getInputStream().readNBytes(limit);
    if (body.length == limit) {
      response.sendError(413, "Send fewer than " + limit + " bytes.");
      return;
    }
    if (!room.tryAcquire()) {
      response.setHeader("Retry-After", "1");
      response.sendError(503, "Try again later.");
      return;
    }
    AsyncContext async = request.startAsync();
    async.setTimeout(0); // the limit handlerTimeout ends the calls
    Principal user = request.getUserPrincipal();
    Attributes facts = user == null ? Attributes.NONE : Attributes.of(USER, user);
    responder.of(CHANNEL, facts).respondAsync(body).whenComplete((reply, failure) -> {
      room.release();
      answer(async, reply, failure);
    });
  }

  private static void answer(
      AsyncContext async, byte @Nullable [] reply, @Nullable Throwable failure) {
    HttpServletResponse response = (HttpServletResponse) async.getResponse();
    try {
      if (failure != null) {
        response.setStatus(500); // there was no memory for the reply
      } else if (reply == null) {
        response.setStatus(204); // the body had notifications only
      } else {
        response.setContentType("application/json");
        response.setContentLength(reply.length);
        response.getOutputStream().write(reply);
      }
    } catch (IOException e) {
      // The client has gone.
    } finally {
      async.complete();
    }
  }
}
