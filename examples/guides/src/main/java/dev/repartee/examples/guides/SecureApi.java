package dev.repartee.examples.guides;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.*;
import dev.repartee.message.Dialect;
import dev.repartee.transport.Attribute;
import dev.repartee.transport.http.HttpRequest;
import dev.repartee.transport.http.HttpResponse;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

public final class SecureApi {
  private SecureApi() {}

  record User(String name, Set<String> roles) {}

  static final Attribute<User> USER = Attribute.named("user");

  /** Identifies users by the SHA-256 of their tokens; the tokens themselves are not stored. */
  record Tokens(Map<String, User> users) implements HttpFilter, Layer {
    @Override
    public @Nullable HttpResponse filter(HttpRequest request) {
      return find(request.header("Authorization")) != null
          ? null // to be served
          : HttpResponse.text(401, "Send a valid token.").header("WWW-Authenticate", "Bearer");
    }

    @Override
    public @Nullable Object handle(Call call, Handler next) throws Exception {
      User user = find(call.header("Authorization"));
      if (user == null) {
        throw new RpcException(401, "Unauthorized");
      }
      call.set(USER, user);
      return next.handle(call);
    }

    private @Nullable User find(@Nullable String header) {
      return header != null && header.startsWith("Bearer ")
          ? users.get(sha256(header.substring("Bearer ".length())))
          : null;
    }
  }

  static String sha256(String token) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      return HexFormat.of().formatHex(digest.digest(token.getBytes(UTF_8)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e); // every JDK has SHA-256
    }
  }

  /** Admits a call if its user has the role that the method needs. */
  record Roles(Map<String, String> needed) implements Layer {
    @Override
    public @Nullable Object handle(Call call, Handler next) throws Exception {
      String role = needed.get(call.method());
      User user = call.attributes().get(USER);
      if (role == null || user == null || !user.roles().contains(role)) {
        throw new RpcException(403, "Forbidden");
      }
      return next.handle(call);
    }
  }

  /** Admits a number of calls of each user in each minute. */
  static final class Rate implements Layer {
    private final int most;
    private final Map<User, Integer> calls = new ConcurrentHashMap<>();
    private volatile long minute;

    Rate(int most) {
      this.most = most;
    }

    @Override
    public @Nullable Object handle(Call call, Handler next) throws Exception {
      long now = System.nanoTime() / Duration.ofMinutes(1).toNanos();
      if (now != minute) {
        minute = now;
        calls.clear();
      }
      User user = call.attributes().get(USER);
      if (user == null || calls.merge(user, 1, Integer::sum) > most) {
        call.responseHeader("Retry-After", "60");
        throw new RpcException(429, "Too many calls");
      }
      return next.handle(call);
    }
  }

  /** Makes the errors of the layers HTTP statuses. */
  static final class Statuses implements Dialect {
    @Override
    public int httpStatus(OptionalInt errorCode) {
      int code = errorCode.orElse(200);
      return code == 401 || code == 403 || code == 429 ? code : 200;
    }
  }

  static Server serve(String uri, Service shop, Service admin, Tokens tokens) throws IOException {
    Map<String, String> roles = Map.of("price", "user", "setPrice", "admin");
    Options options = Options.builder()
        .limits(limits -> limits.frameBytes(1 << 20).handlerTimeout(Duration.ofSeconds(20)))
        .dialect(new Statuses())
        .layer(tokens)
        .layer(new Rate(100))
        .layer(new Roles(roles))
        .build();
    HttpRoutes routes = HttpRoutes.builder()
        .health("/health") // before the filter: needs no token
        .filter(tokens)
        .at("/shop", shop, options)
        .at("/admin", admin, options)
        .build();
    return Repartee.listen(uri, routes, options);
  }
}
