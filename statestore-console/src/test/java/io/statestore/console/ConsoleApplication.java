package io.statestore.console;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;

/**
 * An application with a console, a broker with a history, and rules that permit every
 * request.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
class ConsoleApplication {

	/** Has the role ADMIN. */
	static final String ADA = "ada";

	/** May read the keys of a line. */
	static final String LIN = "lin";

	/** May not read any keys. */
	static final String EVE = "eve";

	@Bean
	SecurityFilterChain rules(HttpSecurity http) {
		return http.authorizeHttpRequests((requests) -> requests.anyRequest().permitAll())
			.httpBasic(Customizer.withDefaults())
			.build();
	}

	@Bean
	UserDetailsService users() {
		return new InMemoryUserDetailsManager(List.of(ADA, LIN, EVE)
			.stream()
			.map((name) -> User.withUsername(name)
				.password("{noop}" + name)
				.roles(name.equals(ADA) ? "ADMIN" : "USER")
				.build())
			.toList());
	}

	/** Starts the application on a free port. */
	static ConfigurableApplicationContext run(Path directory, Class<?>... configurations) {
		return new SpringApplicationBuilder(ConsoleApplication.class).sources(configurations)
			// The last property has no effect, because Spring Security is present.
			.properties(Map.of("server.port", 0, "spring.main.banner-mode", "off", "statestore.embedded.enabled", true,
					"statestore.embedded.data-directory", directory.toString(), "statestore.embedded.history.retention",
					"1d", "statestore.console.insecure", true))
			.run();
	}

	/** Returns the address of the console of an application. */
	static String url(ConfigurableApplicationContext application) {
		return "http://localhost:" + application.getEnvironment().getRequiredProperty("local.server.port")
				+ "/statestore/";
	}

}
