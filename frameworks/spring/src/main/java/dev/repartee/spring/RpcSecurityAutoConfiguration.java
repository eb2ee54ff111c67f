package dev.repartee.spring;

import dev.repartee.Layer;
import dev.repartee.message.RpcError;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.Order;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.authentication.AuthenticationTrustResolverImpl;
import org.springframework.security.authentication.InsufficientAuthenticationException;
import org.springframework.security.core.AuthenticationException;
import org.springframework.security.core.context.SecurityContextHolder;

/** The identity of callers on the threads of handlers, and the errors for refused calls. */
@AutoConfiguration(before = RpcServiceAutoConfiguration.class)
@ConditionalOnClass(SecurityContextHolder.class)
class RpcSecurityAutoConfiguration {
  @Bean
  SecurityContextOfCaller securityContextOfCaller() {
    return new SecurityContextOfCaller();
  }

  /**
   * Distinguishes an unknown caller from one without the permission, as the filter of Spring
   * Security does. This needs the identity, which only the thread of the handler has.
   */
  @Bean
  @Order
  Layer anonymousCallers() {
    AuthenticationTrustResolverImpl trust = new AuthenticationTrustResolverImpl();
    return (call, next) -> {
      try {
        return next.handle(call);
      } catch (AccessDeniedException e) {
        if (trust.isAuthenticated(SecurityContextHolder.getContext().getAuthentication())) {
          throw e;
        }
        throw new InsufficientAuthenticationException("the caller is not authenticated", e);
      }
    };
  }

  @Bean
  @Order
  RpcExceptionMapper securityErrors() {
    return failure -> {
      if (failure instanceof AuthenticationException) {
        return new RpcError(HttpStatuses.UNAUTHENTICATED, "Unauthorized");
      }
      return failure instanceof AccessDeniedException
          ? new RpcError(HttpStatuses.FORBIDDEN, "Forbidden")
          : null;
    };
  }
}
