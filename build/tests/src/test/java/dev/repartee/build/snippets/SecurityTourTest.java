package dev.repartee.build.snippets;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Options;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.access.Authenticator;
import dev.repartee.access.Credentials;
import dev.repartee.access.Principal;
import dev.repartee.security.Sessions;
import dev.repartee.transport.Attributes;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.http.HttpRequest;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs the code of operation/security/README.md, except the part that needs an issuer. */
@Timeout(60)
class SecurityTourTest {
  @TempDir
  Path folder;

  private static Principal principal(Authenticator authenticator, String authorization) {
    return authenticator
        .authenticate(new Credentials(
            new ChannelInfo("http", "127.0.0.1:1", "message"),
            Attributes.of(HttpRequest.HEADERS, Map.of("Authorization", authorization))))
        .toCompletableFuture()
        .join();
  }

  @Test
  void theFilesOfTheTourAdmitTheirCallers() throws Exception {
    String key = SecurityTour.write(folder, "secret".toCharArray());
    Authenticator callers = SecurityTour.options(folder).access().authenticator();
    String pair = Base64.getEncoder().encodeToString("alice:secret".getBytes(UTF_8));
    assertThat(principal(callers, "Basic " + pair))
        .isEqualTo(new Principal("alice", Set.of("admin"), Set.of(), "basic"));
    assertThat(principal(callers, "Bearer " + key))
        .isEqualTo(new Principal("stock", Set.of("service"), Set.of(), "bearer"));
  }

  @Test
  void aLoginSetsACookie() throws Exception {
    Options options = Options.builder()
        .layer((call, next) -> {
          call.set(Principal.KEY, new Principal("alice", Set.of(), Set.of(), "basic"));
          return next.handle(call);
        })
        .build();
    try (Server server = Repartee.listen(
        "http://127.0.0.1:0/", SecurityTour.shop(Sessions.builder().build()), options)) {
      HttpResponse<String> response = HttpClient.newHttpClient()
          .send(
              java.net.http.HttpRequest.newBuilder(URI.create(server.endpoint().toString()))
                  .header("Content-Type", "application/json")
                  .POST(BodyPublishers.ofString(
                      "{\"jsonrpc\":\"2.0\",\"method\":\"login\",\"id\":1}"))
                  .build(),
              BodyHandlers.ofString());
      assertThat(response.body()).contains("\"name\":\"alice\"");
      assertThat(response.headers().firstValue("Set-Cookie")).isPresent();
    }
  }
}
