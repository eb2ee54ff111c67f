package dev.repartee.security;

import dev.repartee.access.Principal;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The users of this machine that may connect over a Unix socket, for {@link Authenticators#peer}.
 * Immutable.
 *
 * <pre>{@code
 * PeerUsers users = PeerUsers.builder()
 *     .user("root", "admin")
 *     .group("shop", "user")
 *     .build();
 * }</pre>
 */
public final class PeerUsers {
  private final Map<String, Set<String>> users;
  private final Map<String, Set<String>> groups;

  private PeerUsers(Builder builder) {
    users = Map.copyOf(builder.users);
    groups = Map.copyOf(builder.groups);
  }

  /** Returns a builder without users and groups, which admits nobody. */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Returns the principal of a peer, with the roles of its user and its group; null if neither is
   * listed.
   */
  @Nullable Principal principal(String user, String group) {
    Set<String> own = users.get(user);
    Set<String> shared = groups.get(group);
    if (own == null && shared == null) {
      return null;
    }
    Set<String> roles = new LinkedHashSet<>(own == null ? Set.of() : own);
    roles.addAll(shared == null ? Set.of() : shared);
    return new Principal(user, roles, Set.of(), "peer");
  }

  /** A builder of {@link PeerUsers}. */
  public static final class Builder {
    private final Map<String, Set<String>> users = new HashMap<>();
    private final Map<String, Set<String>> groups = new HashMap<>();

    private Builder() {}

    /**
     * Admits a user.
     *
     * @param name the name, or the number of a user without a name
     */
    public Builder user(String name, String... roles) {
      users.put(name, Set.of(roles));
      return this;
    }

    /**
     * Admits the users with this primary group.
     *
     * @param name the name, or the number of a group without a name
     */
    public Builder group(String name, String... roles) {
      groups.put(name, Set.of(roles));
      return this;
    }

    /** Returns the users. */
    public PeerUsers build() {
      return new PeerUsers(this);
    }
  }
}
