package io.statestore.sample.room;

import io.statestore.client.StateStoreOperations;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Another application on the broker of the line, in a process of its own. Arguments: its
 * port, then keys and values. No {@code @Configuration}, which the scan of the sample
 * would find.
 */
@EnableAutoConfiguration
class OtherApplication {

	public static void main(String[] args) {
		try (ConfigurableApplicationContext context = new SpringApplicationBuilder(OtherApplication.class).run(
				"--statestore.port=" + args[0], "--statestore.client-id=other",
				"--spring.main.web-application-type=none")) {
			StateStoreOperations store = context.getBean(StateStoreOperations.class);
			for (int i = 1; i < args.length; i += 2) {
				Object value = args[i + 1].matches("[0-9.]+") ? Double.valueOf(args[i + 1]) : args[i + 1];
				store.set(args[i], value, (spec) -> spec.persistent());
			}
		}
	}

}
