package io.statestore.sample;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;

import io.statestore.test.Programs;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestClientException;

/**
 * Prometheus in a separate process, with the configuration in {@code docs/observability}.
 * Tests that start it are skipped if Prometheus is not installed.
 */
final class Prometheus implements AutoCloseable {

	private static final Path CONFIGURATION = Path.of("../docs/observability");

	private final Process process;

	private final Path log;

	private final RestClient client;

	private Prometheus(Path executable, Path folder, int port) throws IOException {
		this.log = folder.resolve("log");
		this.client = RestClient.create("http://127.0.0.1:" + port);
		this.process = new ProcessBuilder(executable.toString(), "--config.file=" + folder.resolve("prometheus.yml"),
				"--storage.tsdb.path=" + folder.resolve("data"), "--web.listen-address=127.0.0.1:" + port)
			.redirectErrorStream(true)
			.redirectOutput(this.log.toFile())
			.start();
	}

	/**
	 * Starts a Prometheus server that reads an application's meters every half second.
	 * @param folder an empty folder
	 * @param application the application's port
	 */
	static Prometheus start(Path folder, String application) throws IOException {
		String configuration = Files.readString(CONFIGURATION.resolve("prometheus.yml"))
			.replace("localhost:8080", "localhost:" + application)
			.replace("15s", "500ms");
		Files.writeString(folder.resolve("prometheus.yml"), configuration);
		Files.copy(CONFIGURATION.resolve("alerts.yml"), folder.resolve("alerts.yml"));
		Prometheus prometheus = new Prometheus(Programs.get("prometheus"), folder, Ports.free());
		try {
			prometheus.awaitReady();
			return prometheus;
		}
		catch (RuntimeException ex) {
			prometheus.close();
			throw ex;
		}
	}

	private void awaitReady() {
		Awaitility.await("Prometheus")
			.atMost(Duration.ofSeconds(30))
			.ignoreExceptionsInstanceOf(RestClientException.class)
			.until(() -> !this.process.isAlive() || get("/-/ready") != null);
		if (!this.process.isAlive()) {
			throw new IllegalStateException("Prometheus has ended: " + log());
		}
	}

	private @Nullable String get(String path) {
		return this.client.get().uri(path).retrieve().body(String.class);
	}

	private String log() {
		try {
			return Files.readString(this.log);
		}
		catch (IOException ex) {
			return ex.toString();
		}
	}

	/** Evaluates an expression and returns the samples. */
	JsonNode query(String expression) {
		JsonNode answer = this.client.get()
			.uri("/api/v1/query?query={expression}", expression)
			.retrieve()
			.body(JsonNode.class);
		return Objects.requireNonNull(answer).path("data").path("result");
	}

	/** Returns the alert rules with their health. */
	JsonNode rules() {
		return Objects.requireNonNull(this.client.get().uri("/api/v1/rules").retrieve().body(JsonNode.class))
			.at("/data/groups/0/rules");
	}

	@Override
	public void close() {
		this.process.destroy();
		this.process.onExit().join();
	}

}
