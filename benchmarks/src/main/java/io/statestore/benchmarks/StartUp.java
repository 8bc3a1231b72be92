package io.statestore.benchmarks;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.statestore.client.StateStoreOperations;
import io.statestore.test.JavaProcess;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Application that starts, makes its first calls if it has a state store, prints
 * {@link #READY}, and ends. Each round runs it in a new process.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
public class StartUp {

	private static final String READY = "ready";

	private static final String WITHOUT = "--spring.autoconfigure.exclude="
			+ "io.statestore.boot.EmbeddedStateStoreAutoConfiguration,io.statestore.boot.StateStoreAutoConfiguration,"
			+ "io.statestore.boot.StateStoreLeaderAutoConfiguration,io.statestore.boot.StateStoreLockAutoConfiguration,"
			+ "io.statestore.boot.StateStoreShedLockAutoConfiguration";

	static Scenario scenario(Servers servers) {
		return new Scenario("start-up, from the start of the process to the first reply", "ms", List.of(
				new Peer("starter, embedded broker, first SET and GET",
						(resources) -> () -> measure("--statestore.embedded.enabled=true",
								"--statestore.embedded.port=0")),
				new Peer("starter, standalone broker, first SET and GET", (resources) -> {
					int port = servers.port(Servers.STANDALONE);
					return () -> measure("--statestore.host=127.0.0.1", "--statestore.port=" + port);
				}), new Peer("the same application without the state store", (resources) -> () -> measure(WITHOUT))));
	}

	private static double measure(Object... arguments) {
		CompletableFuture<Long> ready = new CompletableFuture<>();
		long start = System.nanoTime();
		try (JavaProcess process = Server.java(StartUp.class).arguments(arguments).onLine((line) -> {
			if (line.equals(READY)) {
				ready.complete(System.nanoTime());
			}
		}).start()) {
			process.await(READY);
			return (ready.join() - start) / 1e6;
		}
	}

	public static void main(String[] args) {
		SpringApplicationBuilder application = new SpringApplicationBuilder(StartUp.class)
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
