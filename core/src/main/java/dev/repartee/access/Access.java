package dev.repartee.access;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The permissions of callers to connect to a server and to call its methods. {@link
 * dev.repartee.Options.Builder#access} sets them. Immutable and thread-safe.
 *
 * <pre>{@code
 * Options options = Options.builder()
 *     .access(access -> access
 *         .authenticator(tokens)
 *         .allow("admin", "*")
 *         .allow("user", "price", "order*")
 *         .deny("internal*"))
 *     .build();
 * }</pre>
 *
 * <p>A method may be called if
 *
 * <ol>
 *   <li>no pattern of {@link Builder#deny} matches its name,
 *   <li>the caller meets its annotation {@link Allow}, if it has one,
 *   <li>there is no rule of {@link Builder#allow}, or one of them names a role of the caller and
 *       matches the method. {@code rpc.ping} and {@code rpc.discover} need no such rule.
 * </ol>
 *
 * <p>A protocol may have a method with parts, as MCP has {@code tools/call} with the names of tools.
 * A rule may name a part after a slash, {@code tools/call/delete_*} ({@link #dividing}).
 *
 * <p>The rules hold for unknown methods too. A caller cannot find out which methods exist.
 */
public final class Access {
  /** No authenticator and no rules: everybody may call every method without {@link Allow}. */
  public static final Access OPEN = builder().build();

  /** The role in a rule for everybody, with or without a principal. */
  public static final String ANYONE = "*";

  private final @Nullable Authenticator authenticator;
  private final List<Rule> allowed;
  private final List<MethodPattern> denied;
  private final @Nullable Consumer<? super AccessDecision> audit;

  /** The method with parts, see {@link #dividing}; null if there is none. */
  private final @Nullable String divided;

  private record Rule(String role, MethodPattern methods) {
    boolean concerns(@Nullable Principal principal) {
      return role.equals(ANYONE) || principal != null && principal.roles().contains(role);
    }
  }

  private Access(Builder builder) {
    authenticator = builder.authenticator;
    allowed = List.copyOf(builder.allowed);
    denied = List.copyOf(builder.denied);
    audit = builder.audit;
    divided = null;
  }

  private Access(Access of, String divided) {
    authenticator = of.authenticator;
    allowed = of.allowed;
    denied = of.denied;
    audit = of.audit;
    this.divided = divided;
  }

  /** Returns a builder without an authenticator and rules. */
  public static Builder builder() {
    return new Builder();
  }

  /** Returns the authenticator; null if nobody is authenticated. */
  public @Nullable Authenticator authenticator() {
    return authenticator;
  }

  /**
   * Returns this access for a protocol that has a method with parts, such as {@code tools/call} with
   * the names of tools. A rule may then name a part, {@code tools/call/delete_*}: {@link #allows}
   * admits a call of the method if a rule allows any part, and the protocol asks {@link
   * #allowsPart} about the part in the params.
   */
  public Access dividing(String method) {
    return new Access(this, method);
  }

  /** Returns whether rules restrict methods without {@link Allow}. */
  public boolean hasRules() {
    return !allowed.isEmpty() || !denied.isEmpty();
  }

  /** Returns the receiver of decisions; null if there is none. */
  public @Nullable Consumer<? super AccessDecision> audit() {
    return audit;
  }

  /**
   * Returns whether a caller may call a method.
   *
   * @param principal the caller; null if it is not authenticated
   * @param allow the annotation of the method, else of its class; null if there is none
   */
  public boolean allows(@Nullable Principal principal, String method, @Nullable Allow allow) {
    return !matches(denied, method)
        && (allow == null || principal != null && meets(principal, allow))
        && (allowed.isEmpty()
            || isBasic(method)
            || isAllowed(principal, method)
            || method.equals(divided) && isAllowedInPart(principal, method + "/"));
  }

  /**
   * Returns whether the rules allow a caller a part of a method. A rule for the whole method holds
   * for all its parts; a part may also be denied alone.
   *
   * @param principal the caller; null if it is not authenticated
   * @param part the text that follows the method and a slash in a rule
   */
  public boolean allowsPart(@Nullable Principal principal, String method, String part) {
    String name = method + "/" + part;
    return !matches(denied, method)
        && !matches(denied, name)
        && (allowed.isEmpty() || isAllowed(principal, method) || isAllowed(principal, name));
  }

  private static boolean isBasic(String method) {
    return method.equals("rpc.ping") || method.equals("rpc.discover");
  }

  private static boolean matches(List<MethodPattern> patterns, String method) {
    for (MethodPattern pattern : patterns) {
      if (pattern.matches(method)) {
        return true;
      }
    }
    return false;
  }

  private boolean isAllowed(@Nullable Principal principal, String method) {
    for (Rule rule : allowed) {
      if (rule.concerns(principal) && rule.methods.matches(method)) {
        return true;
      }
    }
    return false;
  }

  private boolean isAllowedInPart(@Nullable Principal principal, String beginning) {
    for (Rule rule : allowed) {
      if (rule.concerns(principal) && rule.methods.beginsWith(beginning)) {
        return true;
      }
    }
    return false;
  }

  private static boolean meets(Principal principal, Allow allow) {
    for (String scope : allow.scopes()) {
      if (!principal.scopes().contains(scope)) {
        return false;
      }
    }
    String[] roles = allow.value();
    for (String role : roles) {
      if (principal.roles().contains(role)) {
        return true;
      }
    }
    return roles.length == 0;
  }

  /** A builder of {@link Access}. */
  public static final class Builder {
    private @Nullable Authenticator authenticator;
    private final List<Rule> allowed = new ArrayList<>();
    private final List<MethodPattern> denied = new ArrayList<>();
    private @Nullable Consumer<? super AccessDecision> audit;

    private Builder() {}

    /** Sets the authenticator. Callers that it does not know are refused. */
    public Builder authenticator(Authenticator authenticator) {
      this.authenticator = authenticator;
      return this;
    }

    /**
     * Allows the methods that match a pattern to callers with a role. As soon as there is such a
     * rule, methods that no rule allows are forbidden.
     *
     * @param role a role of {@link Principal#roles}, or {@link #ANYONE}
     * @param methods names of methods, in which {@code *} stands for any characters
     */
    public Builder allow(String role, String... methods) {
      for (String method : methods) {
        allowed.add(new Rule(role, MethodPattern.of(method)));
      }
      return this;
    }

    /**
     * Forbids the methods that match a pattern, to everybody.
     *
     * @param methods names of methods, in which {@code *} stands for any characters
     */
    public Builder deny(String... methods) {
      for (String method : methods) {
        denied.add(MethodPattern.of(method));
      }
      return this;
    }

    /**
     * Sets the receiver of decisions: one for each call, and one for each request or connection
     * that is refused. It runs on the thread of the decision and must not block. Its exceptions are
     * ignored.
     */
    public Builder audit(Consumer<? super AccessDecision> audit) {
      this.audit = audit;
      return this;
    }

    /** Returns the access. */
    public Access build() {
      return new Access(this);
    }
  }
}
