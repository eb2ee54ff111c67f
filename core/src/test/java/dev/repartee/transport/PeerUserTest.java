package dev.repartee.transport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Call;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.access.Principal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
@EnabledOnOs({OS.LINUX, OS.MAC})
class PeerUserTest {
  private static String callerName(Call call) {
    Principal principal = call.principal();
    return principal == null ? "nobody" : principal.name();
  }

  @Test
  void theKernelProvesTheUserOfAUnixSocket(@TempDir Path folder) throws Exception {
    PosixFileAttributes own = Files.readAttributes(folder, PosixFileAttributes.class);
    Service service = Service.builder()
        .method(
            "user",
            call ->
                String.valueOf(call.attributes().get(PeerUser.ATTRIBUTE).user().getName()))
        .method("caller", PeerUserTest::callerName)
        .build();
    Options options = Options.builder()
        .access(access -> access.authenticator(credentials -> {
          PeerUser peer = credentials.attributes().get(PeerUser.ATTRIBUTE);
          return CompletableFuture.completedFuture(
              peer == null
                  ? null
                  : new Principal(
                      peer.user().getName(), Set.of(peer.group().getName()), Set.of(), "peer"));
        }))
        .build();
    try (Server server = Repartee.listen("unix:" + folder.resolve("s.sock"), service, options);
        Peer peer = Repartee.connect(server.endpoint())) {
      assertThat(peer.call("user", String.class)).isEqualTo(own.owner().getName());
      assertThat(peer.call("caller", String.class)).isEqualTo(own.owner().getName());
    }
  }
}
