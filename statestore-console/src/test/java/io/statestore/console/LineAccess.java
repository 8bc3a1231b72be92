package io.statestore.console;

import java.util.List;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Rules of an application for its console, as in {@code docs/demo.md}. */
@Configuration(proxyBeanMethods = false)
class LineAccess {

	@Bean
	ConsoleAccess consoleAccess() {
		return (user) -> switch (user.getName()) {
			case "ada" -> List.of("*");
			case "lin" -> List.of("line/*", "note");
			default -> List.of();
		};
	}

}
