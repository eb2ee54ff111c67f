package dev.repartee.spring;

import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolder;

/**
 * The identity of the caller. Captured when the request arrives, not when a handler asks for it: a
 * session must not be read after its request.
 */
final class SecurityContextOfCaller implements CallerContext {
  @Override
  public Captured capture() {
    Authentication caller = SecurityContextHolder.getContext().getAuthentication();
    return () -> {
      SecurityContext before = SecurityContextHolder.getContext();
      SecurityContext context = SecurityContextHolder.createEmptyContext();
      context.setAuthentication(caller);
      SecurityContextHolder.setContext(context);
      return () -> restore(before);
    };
  }

  private static void restore(SecurityContext before) {
    if (before.getAuthentication() == null) {
      SecurityContextHolder.clearContext();
    } else {
      SecurityContextHolder.setContext(before);
    }
  }
}
