package dev.repartee.build.snippets;

import dev.repartee.Options;
import dev.repartee.Service;
import dev.repartee.access.Authenticator;
import dev.repartee.security.Authenticators;
import dev.repartee.security.Introspection;
import dev.repartee.security.Jwt;
import dev.repartee.security.KeyFile;
import dev.repartee.security.PasswordFile;
import dev.repartee.security.Quota;
import dev.repartee.security.Sessions;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.Set;

/** The code of operation/security/README.md. */
final class SecurityTour {
  private SecurityTour() {}

  static Options options(Path folder) throws IOException {
    Authenticator callers = Authenticators.throttled(Authenticators.anyOf(
        Authenticators.basic(folder.resolve("users")),
        Authenticators.bearer(folder.resolve("keys"))));
    return Options.builder()
        .access(access ->
            access.authenticator(callers).allow("admin", "*").allow("user", "price", "order*"))
        .layer(Quota.builder().callsPerSecond(100).inFlight(20).build())
        .build();
  }

  static String write(Path folder, char[] password) throws IOException {
    new PasswordFile(folder.resolve("users")).put("alice", password, Set.of("admin"));
    String key = new KeyFile(folder.resolve("keys")).add("stock", Set.of("service"));
    return key;
  }

  static Authenticator tokens(Path folder) throws IOException {
    Authenticator signed = Authenticators.jwt(Jwt.builder()
        .issuer("https://login.shop.example")
        .audience("https://api.shop.example")
        .keys(URI.create("https://login.shop.example/jwks"))
        .roles("realm_access", "roles")
        .build());
    Authenticator opaque = Authenticators.introspection(Introspection.builder()
        .endpoint(URI.create("https://login.shop.example/introspect"))
        .credentials(folder.resolve("client"))
        .audience("https://api.shop.example")
        .build());
    return Authenticators.anyOf(signed, opaque);
  }

  static Service shop(Sessions sessions) {
    return Service.builder()
        .method("login", call -> {
          sessions.login(call);
          return call.principal();
        })
        .method("logout", call -> {
          sessions.logout(call);
          return true;
        })
        .build();
  }
}
