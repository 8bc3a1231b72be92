package io.statestore.client.observation;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.statestore.broker.StateStoreBroker;
import io.statestore.client.Key;
import io.statestore.client.KeyObservation;
import io.statestore.protocol.Bytes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

import static io.statestore.client.observation.TestClient.await;
import static org.assertj.core.api.Assertions.assertThat;

/** More observed keys than calls that may be pending, against the real broker. */
@Timeout(180)
class ManyKeysTests {

	private static final int KEYS = 12_000;

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private final Logger logger = (Logger) LoggerFactory.getLogger("io.statestore");

	private final ListAppender<ILoggingEvent> log = new ListAppender<>();

	private final StateStoreBroker broker = StateStoreBroker.builder().start();

	private final DroppingProxy proxy = new DroppingProxy(this.broker.port());

	private final TestClient client = new TestClient(this.proxy.port()).start();

	@BeforeEach
	void captureLog() {
		this.log.list = new java.util.concurrent.CopyOnWriteArrayList<>();
		this.log.start();
		this.logger.addAppender(this.log);
	}

	@AfterEach
	void close() {
		this.logger.detachAppender(this.log);
		this.client.close();
		this.proxy.close();
		this.broker.close();
	}

	@Test
	void observesAllKeysWithoutWarningsAlsoAfterReconnect() {
		long start = System.nanoTime();
		List<KeyObservation> observations = IntStream.range(0, KEYS)
			.mapToObj((i) -> this.client.template.async()
				.observe(Key.of("machines/" + i), Bytes.class, (spec) -> spec.initial(), (change) -> {
				}))
			.toList();
		CompletableFuture<?>[] started = observations.stream()
			.map(KeyObservation::started)
			.toArray(CompletableFuture[]::new);
		await("the start of all observations", PATIENCE, CompletableFuture.allOf(started)::isDone);
		long activated = System.nanoTime();
		assertThat(observations).allMatch(KeyObservation::isActive);
		assertThat(warnings()).isEmpty();
		this.proxy.block();
		await("the end of the connection", PATIENCE, () -> observations.stream().noneMatch(KeyObservation::isActive));
		this.proxy.unblock();
		long dropped = System.nanoTime();
		await("all observations after the reconnect", PATIENCE,
				() -> observations.stream().allMatch(KeyObservation::isActive));
		long reactivated = System.nanoTime();
		assertThat(warnings()).hasSizeLessThanOrEqualTo(1);
		this.logger.info("{} keys observed within {} ms, and within {} ms after the loss of the connection", KEYS,
				(activated - start) / 1_000_000, (reactivated - dropped) / 1_000_000);
	}

	private List<String> warnings() {
		return this.log.list.stream()
			.filter((event) -> event.getLevel().isGreaterOrEqual(Level.WARN))
			.map(ILoggingEvent::getFormattedMessage)
			.toList();
	}

}
