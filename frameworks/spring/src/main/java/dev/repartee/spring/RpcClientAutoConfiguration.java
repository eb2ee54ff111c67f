package dev.repartee.spring;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Import;

/** The interfaces with {@link RpcClient} as beans. */
@AutoConfiguration
@Import(RpcClientRegistrar.class)
class RpcClientAutoConfiguration {}
