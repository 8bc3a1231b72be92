package io.statestore.sample;

import java.time.Duration;
import java.util.List;
import java.util.Objects;

import io.statestore.client.lock.FencedLock;
import io.statestore.client.lock.LockLostEvent.Reason;
import io.statestore.client.lock.StateStoreLockRegistry;
import io.statestore.testing.broker.TestBroker;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.http.ResponseEntity;
import org.springframework.web.client.RestClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Health, info, and the endpoint of a press over HTTP, with a separate broker. */
@Timeout(120)
@TestInstance(Lifecycle.PER_CLASS)
class SampleActuatorTests {

	private final TestBroker broker = TestBroker.builder().start();

	private final int port = this.broker.port();

	private final ConfigurableApplicationContext sample = run(this.port);

	private final RestClient client = RestClient.builder()
		.baseUrl("http://localhost:" + this.sample.getEnvironment().getProperty("local.server.port") + "/actuator")
		.defaultStatusHandler((status) -> true, (request, response) -> {
		})
		.build();

	private static ConfigurableApplicationContext run(int port) {
		return WebPress.run("--statestore.port=" + port,
				"--management.endpoints.web.exposure.include=health,info,prometheus,statestore",
				"--management.endpoint.statestore.access=unrestricted", "--management.info.statestore.enabled=true",
				"--management.endpoint.health.show-details=always", "--management.endpoint.health.probes.enabled=true",
				"--management.endpoint.health.group.readiness.include=readinessState,statestore");
	}

	@AfterAll
	void close() {
		this.sample.close();
		this.broker.close();
	}

	@Test
	void readinessAndMetersFollowOutage() {
		await("UP").until(() -> readiness(200, "UP"));
		assertThat(meter("statestore_connection_up")).isEqualTo(1);
		double reconnects = meter("statestore_connection_reconnects_total");
		beginOutage();
		assertThat(meter("statestore_connection_up")).isZero();
		assertThat(get("/health/liveness").getStatusCode().value()).isEqualTo(200);
		JsonNode details = json(get("/health")).path("components").path("statestore").path("details");
		assertThat(details.path("broker").asString()).isEqualTo("mqtt://localhost:" + this.port);
		assertThat(details.path("disconnectedSince").asString()).isNotEmpty();
		assertThat(details.path("error").asString()).startsWith("No connection to mqtt://localhost:" + this.port);
		Duration reconnect = endOutage();
		// Other processes of a busy machine may slow down a single attempt.
		for (int i = 0; i < 4 && reconnect.compareTo(Duration.ofSeconds(2)) > 0; i++) {
			beginOutage();
			reconnect = endOutage();
		}
		assertThat(reconnect).isLessThanOrEqualTo(Duration.ofSeconds(2));
		assertThat(meter("statestore_connection_up")).isEqualTo(1);
		assertThat(meter("statestore_connection_reconnects_total")).isGreaterThan(reconnects);
		details = json(get("/health")).path("components").path("statestore").path("details");
		assertThat(details.path("connectedSince").asString()).isNotEmpty();
		assertThat(details.path("clientId").asString()).isEqualTo("press-1");
		assertThat(details.path("lastRoundTrip").path("duration").asString()).startsWith("PT");
		assertThat(Duration.parse(details.path("clockOffset").asString()).abs()).isLessThan(Duration.ofSeconds(30));
	}

	@Test
	void endpointShowsAndEndsLeadershipAndLocks() {
		FencedLock lock = this.sample.getBean(StateStoreLockRegistry.class).obtain("line/1");
		lock.lock();
		await("the leader").until(() -> leader().path("leader").asBoolean());
		JsonNode all = json(get("/statestore"));
		assertThat(all.path("connections").path("stateStoreConnection").path("connected").asBoolean()).isTrue();
		assertThat(all.path("watches").path("stateStoreKeyWatches").findValuesAsString("key"))
			.contains("line/setpoint");
		assertThat(all.path("locks").path("stateStoreLockRegistry").findValuesAsString("key")).contains("line/1",
				"line-leader");
		assertThat(json(get("/statestore/locks")).propertyNames()).containsExactly("locks");

		ResponseEntity<String> freed = delete("/statestore/locks?key={key}", "line/1");
		assertThat(freed.getStatusCode().value()).isEqualTo(200);
		assertThat(freed.getBody()).contains("press-1/");
		assertThat(lock.heldLock().loss().orElseThrow().reason()).isEqualTo(Reason.FORCED);

		assertThat(readiness(200, "UP")).isTrue();

		String token = leader().path("token").asString();
		assertThat(delete("/statestore/leaders?role={role}", "line-leader").getStatusCode().value()).isEqualTo(200);
		await("the next term").until(() -> leader().path("token").asString(token), (next) -> !next.equals(token));

		ResponseEntity<String> unknown = delete("/statestore/locks?key={key}", "unknown");
		assertThat(unknown.getStatusCode().value()).isEqualTo(404);
		assertThat(unknown.getBody()).contains("No lock 'unknown' is held");
		assertThat(get("/statestore/unknown").getStatusCode().is4xxClientError()).isTrue();
	}

	@Test
	void endpointFreesLocksWithEmptyNameParts() {
		StateStoreLockRegistry registry = this.sample.getBean(StateStoreLockRegistry.class);
		FencedLock bystander = registry.obtain("a/b");
		bystander.lock();
		for (String key : List.of("/locks/press-1", "a//b", "a/b/")) {
			FencedLock lock = registry.obtain(key);
			lock.lock();
			ResponseEntity<String> freed = delete("/statestore/locks?key={key}", key);
			assertThat(freed.getBody()).contains("Lock '" + key + "' was forced free");
			assertThat(lock.heldLock().loss().orElseThrow().reason()).isEqualTo(Reason.FORCED);
		}
		bystander.unlock();
		ResponseEntity<String> withoutKey = delete("/statestore/locks");
		assertThat(withoutKey.getStatusCode().value()).isEqualTo(400);
		assertThat(withoutKey.getBody()).contains("The parameter 'key' is missing.");
	}

	@Test
	void infoDescribesConnection() {
		JsonNode info = json(get("/info")).path("statestore");
		assertThat(info.path("protocolVersion").asString()).isEqualTo("1.0");
		assertThat(info.path("embedded").asBoolean(true)).isFalse();
		assertThat(info.path("connections").path("stateStoreConnection").path("clientId").asString())
			.isEqualTo("press-1");
	}

	private void beginOutage() {
		this.broker.faults().refuseConnections();
		this.broker.faults().cut();
		await("DOWN").until(() -> readiness(503, "DOWN"));
	}

	/** Returns how long the application stays down after the outage. */
	private Duration endOutage() {
		this.broker.faults().acceptConnections();
		long start = System.nanoTime();
		await("UP").until(() -> readiness(200, "UP"));
		return Duration.ofNanos(System.nanoTime() - start);
	}

	private boolean readiness(int code, String status) {
		ResponseEntity<String> response = get("/health/readiness");
		return response.getStatusCode().value() == code && json(response).path("status").asString().equals(status);
	}

	/** Returns the value of a meter of the only connection, as exposed to Prometheus. */
	private double meter(String name) {
		String meters = Objects.requireNonNull(get("/prometheus").getBody());
		return meters.lines()
			.filter((line) -> line.startsWith(name + '{'))
			.map((line) -> line.substring(line.lastIndexOf(' ') + 1))
			.mapToDouble(Double::parseDouble)
			.sum();
	}

	private JsonNode leader() {
		return json(get("/statestore/leaders")).path("leaders").path("line-leader");
	}

	private ResponseEntity<String> get(String path) {
		return this.client.get().uri(path).retrieve().toEntity(String.class);
	}

	private ResponseEntity<String> delete(String path, Object... variables) {
		return this.client.delete().uri(path, variables).retrieve().toEntity(String.class);
	}

	private static JsonNode json(ResponseEntity<String> response) {
		return JsonMapper.shared().readTree(Objects.requireNonNull(response.getBody()));
	}

}
