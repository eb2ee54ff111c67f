package dev.repartee.examples.guides;

import dev.repartee.Call;
import dev.repartee.Handler;
import dev.repartee.Layer;
import dev.repartee.Options;
import dev.repartee.RpcException;
import dev.repartee.Service;
import dev.repartee.servlet.RpcServlet;
import dev.repartee.transport.Attribute;
import dev.repartee.transport.Attributes;
import jakarta.servlet.http.HttpServletRequest;
import java.security.Principal;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

public final class AdminServlet {
  private AdminServlet() {}

  static final Attribute<String> TENANT = Attribute.named("tenant");

  static RpcServlet create(Service service) {
    Options options = Options.builder().layer(new AdminsOnly()).build();
    return new RpcServlet(RpcServlet.builder()
        .service(service)
        .options(options)
        .roles("admin") // known to calls over a WebSocket, too
        .attributes(AdminServlet::tenant));
  }

  private static Attributes tenant(HttpServletRequest request) {
    String tenant = request.getHeader("X-Tenant");
    return tenant == null ? Attributes.NONE : Attributes.of(TENANT, tenant);
  }

  /** Admits calls of users with the role {@code admin}. */
  record AdminsOnly() implements Layer {
    @Override
    public @Nullable Object handle(Call call, Handler next) throws Exception {
      Predicate<String> roles = call.attributes().get(RpcServlet.ROLES);
      if (roles == null || !roles.test("admin")) {
        throw new RpcException(403, "Forbidden");
      }
      return next.handle(call);
    }
  }

  /** A method that names its caller. */
  static String whoami(Call call) {
    Principal user = call.attributes().get(RpcServlet.PRINCIPAL);
    return user == null ? "nobody" : user.getName();
  }
}
