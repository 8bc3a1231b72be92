package io.statestore.client.observation;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import ch.qos.logback.classic.Level;
import io.statestore.broker.StateStoreBroker;
import io.statestore.client.Key;
import io.statestore.client.KeyObservation;
import io.statestore.protocol.Bytes;
import io.statestore.test.CapturedLog;
import io.statestore.test.FaultProxy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** More observed keys than the maximum number of pending calls, on a real broker. */
@Timeout(180)
@Tag("long")
@Tag("nightly")
@Isolated("captures the log")
class ManyKeysTests {

	private static final int KEYS = 12_000;

	private static final Duration TIMEOUT = Duration.ofSeconds(60);

	private final CapturedLog log = new CapturedLog(KeyObservations.class.getPackageName(), Level.WARN);

	private final StateStoreBroker broker = StateStoreBroker.builder().start();

	private final FaultProxy proxy = new FaultProxy(this.broker.port());

	private final TestClient client = new TestClient(this.proxy.port()).start();

	@AfterEach
	void close() {
		this.log.close();
		this.client.close();
		this.proxy.close();
		this.broker.close();
	}

	@Test
	void observesAllKeysWithoutWarningsAlsoAfterReconnect() {
		List<KeyObservation> observations = IntStream.range(0, KEYS)
			.mapToObj((i) -> this.client.template.async()
				.observe(Key.of("machines/" + i), Bytes.class, (spec) -> spec.initial(), (change) -> {
				}))
			.toList();
		CompletableFuture<?>[] started = observations.stream()
			.map(KeyObservation::started)
			.toArray(CompletableFuture[]::new);
		await("the start of all observations").atMost(TIMEOUT).until(CompletableFuture.allOf(started)::isDone);
		assertThat(observations).allMatch(KeyObservation::isActive);
		assertThat(this.log.messages()).isEmpty();
		this.proxy.block();
		await("the end of the connection").atMost(TIMEOUT)
			.until(() -> observations.stream().noneMatch(KeyObservation::isActive));
		this.proxy.unblock();
		await("all observations after the reconnect").atMost(TIMEOUT)
			.until(() -> observations.stream().allMatch(KeyObservation::isActive));
		assertThat(this.log.messages()).isEmpty();
	}

}
