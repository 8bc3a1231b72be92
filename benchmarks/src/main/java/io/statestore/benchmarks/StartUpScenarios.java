package io.statestore.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Scenario of the start of an application, each time in a new process. */
final class StartUpScenarios {

	private static final String WITHOUT = "--spring.autoconfigure.exclude="
			+ "io.statestore.boot.EmbeddedStateStoreAutoConfiguration,io.statestore.boot.StateStoreAutoConfiguration,"
			+ "io.statestore.boot.StateStoreLeaderAutoConfiguration,io.statestore.boot.StateStoreLockAutoConfiguration,"
			+ "io.statestore.boot.StateStoreShedLockAutoConfiguration";

	private final Servers servers;

	StartUpScenarios(Servers servers) {
		this.servers = servers;
	}

	List<Scenario> all() {
		List<Implementation.Factory> implementations = new ArrayList<>();
		implementations.add(() -> new Application("starter, embedded broker, first SET and GET",
				"--statestore.embedded.enabled=true", "--statestore.embedded.port=0"));
		implementations.add(() -> new Application("starter, standalone broker, first SET and GET",
				"--statestore.host=127.0.0.1", "--statestore.port=" + this.servers.standalone()));
		implementations.add(() -> new Application("the same application without the state store", WITHOUT));
		return List
			.of(new Scenario("start-up, from the start of the process to the first reply", "ms", implementations));
	}

	private record Application(String name, String... arguments) implements Implementation {

		@Override
		public double measure() throws IOException {
			List<String> command = new ArrayList<>(
					List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
							System.getProperty("java.class.path"), StartUpApplication.class.getName()));
			command.addAll(List.of(this.arguments));
			long start = System.nanoTime();
			Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
			StringBuilder output = new StringBuilder();
			try (BufferedReader reader = process.inputReader()) {
				for (String line = reader.readLine(); line != null; line = reader.readLine()) {
					if (line.equals(StartUpApplication.READY)) {
						return (System.nanoTime() - start) / 1e6;
					}
					output.append(line).append('\n');
				}
			}
			finally {
				process.destroy();
			}
			throw new IOException(this.name + " did not start:\n" + output);
		}

		@Override
		public void close() {
			// Every process has already ended
		}

	}

}
