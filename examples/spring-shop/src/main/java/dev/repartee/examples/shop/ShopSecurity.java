package dev.repartee.examples.shop;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;

/** The users: ann is a clerk, bob is not. */
@Configuration
@EnableMethodSecurity
public class ShopSecurity {
  /** Lets everybody call; the methods check the roles. */
  @Bean
  SecurityFilterChain rpcSecurity(HttpSecurity http) throws Exception {
    return http.authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
        .httpBasic(Customizer.withDefaults())
        .csrf(csrf -> csrf.ignoringRequestMatchers("/rpc", "/prices", "/mcp"))
        .build();
  }

  /** Returns users for trials. */
  @Bean
  UserDetailsService users() {
    return new InMemoryUserDetailsManager(
        User.withUsername("ann").password("{noop}ann").roles("CLERK").build(),
        User.withUsername("bob").password("{noop}bob").roles("GUEST").build());
  }
}
