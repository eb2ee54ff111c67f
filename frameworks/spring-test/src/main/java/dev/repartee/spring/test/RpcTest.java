package dev.repartee.spring.test;

import dev.repartee.spring.RpcService;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.autoconfigure.OverrideAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTestContextBootstrapper;
import org.springframework.boot.test.context.filter.annotation.TypeExcludeFilters;
import org.springframework.context.annotation.ComponentScan.Filter;
import org.springframework.test.context.BootstrapWith;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.context.junit.jupiter.SpringExtension;

/**
 * Starts only the part of an application that serves JSON-RPC, without a web server: the beans with
 * {@link RpcService}, mappers of exceptions, layers and customizers. A test injects the {@link
 * dev.repartee.Peer} that is connected to them in memory, and calls as a client does:
 *
 * <pre>{@code
 * @RpcTest
 * class ShopTest {
 *   @Autowired Peer peer;
 *
 *   @MockitoBean Stock stock;
 *
 *   @Test
 *   void anOrderNeedsAnItem() {
 *     assertThrows(RemoteRpcException.class, () -> peer.proxy(Shop.class).order("", 1));
 *   }
 * }
 * }</pre>
 *
 * <p>The beans of all paths are served together. Other beans are mocked by the test, or
 * imported: {@code @Import(SecurityConfiguration.class)} for {@code @PreAuthorize}.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@BootstrapWith(SpringBootTestContextBootstrapper.class)
@ExtendWith(SpringExtension.class)
@OverrideAutoConfiguration(enabled = false)
@TypeExcludeFilters(RpcTypeExcludeFilter.class)
@ImportAutoConfiguration
@TestPropertySource(
    properties = {
      "repartee.listen[0]=mem:rpc-test-${random.uuid}",
      "spring.main.web-application-type=none"
    })
public @interface RpcTest {
  /** Returns whether beans of the usual types are included. */
  boolean useDefaultFilters() default true;

  /** Returns filters for further components to include. */
  Filter[] includeFilters() default {};

  /** Returns filters for components to leave out. */
  Filter[] excludeFilters() default {};
}
