package dev.repartee.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.access.Principal;
import dev.repartee.transport.DisconnectedException;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class PeerUsersTest {
  @TempDir
  Path folder;

  private Server serve(PeerUsers users) throws Exception {
    return Repartee.listen(
        "unix:" + folder.resolve("socket"),
        Service.builder().method("who", call -> call.principal().toString()).build(),
        Options.builder()
            .access(access -> access.authenticator(Authenticators.peer(users)))
            .build());
  }

  @Test
  @EnabledOnOs({OS.LINUX, OS.MAC})
  void aListedUserIsAdmittedOverAUnixSocket() throws Exception {
    String user = java.nio.file.Files.getOwner(folder).getName();
    PeerUsers users = PeerUsers.builder().user(user, "admin").build();
    try (Server server = serve(users);
        Peer peer = Repartee.connect(server.endpoint())) {
      assertThat(peer.call("who", String.class))
          .contains("name=" + user, "roles=[admin]", "proof=peer");
    }
  }

  @Test
  @EnabledOnOs({OS.LINUX, OS.MAC})
  void otherUsersAreRefused() throws Exception {
    try (Server server = serve(PeerUsers.builder().user("nobody else", "admin").build());
        Peer peer = Repartee.connect(server.endpoint())) {
      assertThatThrownBy(() -> peer.call("who", String.class))
          .isInstanceOf(DisconnectedException.class);
    }
  }

  @Test
  void userAndGroupGiveTheirRoles() {
    PeerUsers users = PeerUsers.builder()
        .user("alice", "admin")
        .group("shop", "user", "reader")
        .build();
    assertThat(users.principal("alice", "shop"))
        .isEqualTo(new Principal("alice", Set.of("admin", "user", "reader"), Set.of(), "peer"));
    assertThat(users.principal("alice", "other").roles()).containsExactly("admin");
    assertThat(users.principal("bob", "shop").roles()).containsExactlyInAnyOrder("user", "reader");
    assertThat(users.principal("bob", "other")).isNull();
    assertThat(users.principal("shop", "alice")).isNull();
  }
}
