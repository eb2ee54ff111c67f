package dev.repartee.spring;

import dev.repartee.access.Principal;
import dev.repartee.transport.Attributes;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.security.authentication.AuthenticationTrustResolverImpl;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.GrantedAuthority;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolder;

/**
 * The identity of the caller. Captured when the request arrives, not when a handler asks for it: a
 * session must not be read after its request.
 */
final class SecurityContextOfCaller implements CallerContext {
  private static final AuthenticationTrustResolverImpl TRUST =
      new AuthenticationTrustResolverImpl();

  @Override
  public Captured capture() {
    Authentication caller = SecurityContextHolder.getContext().getAuthentication();
    return () -> open(caller);
  }

  /**
   * {@inheritDoc}
   *
   * <p>The authentication becomes the principal of the calls, for {@link dev.repartee.access.Allow}.
   * Its roles are the authorities; an authority with the prefix {@code ROLE_} is a role with and
   * without the prefix. An authority with the prefix {@code SCOPE_} is also a scope, without it.
   */
  @Override
  public Attributes attributes(Attributes of) {
    Authentication caller = SecurityContextHolder.getContext().getAuthentication();
    if (caller == null || !TRUST.isAuthenticated(caller) || caller.getName().isEmpty()) {
      return of;
    }
    Set<String> roles = new HashSet<>();
    Set<String> scopes = new HashSet<>();
    for (GrantedAuthority granted : caller.getAuthorities()) {
      String authority = granted.getAuthority();
      if (authority != null) {
        roles.add(authority);
        addWithout("ROLE_", authority, roles);
        addWithout("SCOPE_", authority, scopes);
      }
    }
    return of.with(Principal.KEY, new Principal(caller.getName(), roles, scopes, "spring"));
  }

  private static void addWithout(String prefix, String authority, Set<String> to) {
    if (authority.startsWith(prefix)) {
      to.add(authority.substring(prefix.length()));
    }
  }

  /** Sets an identity on the current thread; null for none. */
  static Scope open(@Nullable Authentication caller) {
    SecurityContext before = SecurityContextHolder.getContext();
    SecurityContext context = SecurityContextHolder.createEmptyContext();
    context.setAuthentication(caller);
    SecurityContextHolder.setContext(context);
    return () -> restore(before);
  }

  private static void restore(SecurityContext before) {
    if (before.getAuthentication() == null) {
      SecurityContextHolder.clearContext();
    } else {
      SecurityContextHolder.setContext(before);
    }
  }
}
