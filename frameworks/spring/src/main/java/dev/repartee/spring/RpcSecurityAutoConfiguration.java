package dev.repartee.spring;

import dev.repartee.Layer;
import dev.repartee.message.RpcError;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
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
  /** The code of the error for a caller of unknown identity, and the status of the response. */
  static final int UNAUTHENTICATED = 401;

  /** The code of the error for a caller without the permission, and the status of the response. */
  static final int FORBIDDEN = 403;

  @Bean
  SecurityContextOfCaller securityContextOfCaller() {
    return new SecurityContextOfCaller();
  }

  /**
   * Callers over other endpoints have no identity, even if the thread of the handler has one: with
   * {@code MODE_INHERITABLETHREADLOCAL} a worker inherits the identity of the request that starts it.
   */
  @Bean
  @Order(Ordered.HIGHEST_PRECEDENCE)
  Layer unknownCallers() {
    return (call, next) -> {
      CallerContext.Scope scope = SecurityContextOfCaller.open(null);
      try {
        return next.handle(call);
      } finally {
        scope.close();
      }
    };
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
      if (trust.isAuthenticated(SecurityContextHolder.getContext().getAuthentication())) {
        return next.handle(call);
      }
      Object outcome;
      try {
        outcome = next.handle(call);
      } catch (AccessDeniedException e) {
        throw unauthenticated(e);
      }
      if (!(outcome instanceof CompletionStage<?> stage)) {
        return outcome;
      }
      // The stage below does not pass its cancellation on.
      call.cancellation().onCancel(() -> stage.toCompletableFuture().cancel(true));
      return refusals(stage);
    };
  }

  private static <T> CompletionStage<T> refusals(CompletionStage<T> stage) {
    return stage.exceptionallyCompose(failure -> {
      Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
      return CompletableFuture.failedStage(
          cause instanceof AccessDeniedException denied ? unauthenticated(denied) : failure);
    });
  }

  private static InsufficientAuthenticationException unauthenticated(AccessDeniedException cause) {
    return new InsufficientAuthenticationException("the caller is not authenticated", cause);
  }

  @Bean
  @Order
  RpcExceptionMapper securityErrors() {
    return failure -> {
      if (failure instanceof AuthenticationException) {
        return new RpcError(UNAUTHENTICATED, "Unauthorized");
      }
      return failure instanceof AccessDeniedException ? new RpcError(FORBIDDEN, "Forbidden") : null;
    };
  }
}
