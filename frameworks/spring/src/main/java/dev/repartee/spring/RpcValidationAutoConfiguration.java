package dev.repartee.spring;

import jakarta.validation.ConstraintViolationException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.Order;

/** The errors for arguments that a bean with {@code @Validated} refuses. */
@AutoConfiguration(before = RpcServiceAutoConfiguration.class)
@ConditionalOnClass(ConstraintViolationException.class)
class RpcValidationAutoConfiguration {
  @Bean
  @Order
  RpcExceptionMapper violations(ObjectProvider<RpcServices> services) {
    return failure -> failure instanceof ConstraintViolationException e
        ? Violations.error(e, type -> services.getObject().serves(type))
        : null;
  }
}
