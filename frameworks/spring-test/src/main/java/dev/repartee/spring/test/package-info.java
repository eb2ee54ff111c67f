/** Tests of beans that are served with JSON-RPC; see {@link dev.repartee.spring.test.RpcTest}. */
@NullMarked
package dev.repartee.spring.test;

import org.jspecify.annotations.NullMarked;
