/**
 * JSON-RPC in Spring Boot: beans with {@link dev.repartee.spring.RpcService} are served by the
 * application's own web server and at further endpoints, and interfaces with {@link
 * dev.repartee.spring.RpcClient} are beans that call other services.
 */
@NullMarked
package dev.repartee.spring;

import org.jspecify.annotations.NullMarked;
