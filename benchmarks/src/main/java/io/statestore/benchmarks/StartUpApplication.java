package io.statestore.benchmarks;

import io.statestore.client.StateStoreOperations;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Application that starts, makes its first calls if it has a state store, prints
 * {@link #READY}, and ends. The process that starts it measures the time.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
public class StartUpApplication {

	static final String READY = "ready";

	public static void main(String[] args) {
		SpringApplicationBuilder application = new SpringApplicationBuilder(StartUpApplication.class)
			.properties("spring.main.banner-mode=off", "logging.level.root=error");
		try (ConfigurableApplicationContext context = application.run(args)) {
			context.getBeanProvider(StateStoreOperations.class).ifAvailable((store) -> {
				store.set("benchmark/key", "value");
				store.get("benchmark/key", String.class).orElseThrow();
			});
			System.out.println(READY);
		}
	}

}
