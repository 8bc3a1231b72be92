package io.statestore.client.watch;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import ch.qos.logback.classic.Level;
import io.statestore.broker.StateStoreBroker;
import io.statestore.client.Key;
import io.statestore.client.KeyWatch;
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

/** More watched keys than the maximum number of pending calls, on a real broker. */
@Timeout(180)
@Tag("long")
@Tag("nightly")
@Isolated("captures the log")
class ManyKeysTests {

	private static final int KEYS = 12_000;

	private static final Duration TIMEOUT = Duration.ofSeconds(60);

	private final CapturedLog log = new CapturedLog(KeyWatches.class.getPackageName(), Level.WARN);

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
	void watchesAllKeysWithoutWarningsEvenAfterReconnect() {
		List<KeyWatch> watches = IntStream.range(0, KEYS)
			.mapToObj((i) -> this.client.template.async()
				.watch(Key.of("machines/" + i), Bytes.class, (spec) -> spec.initial(), (change) -> {
				}))
			.toList();
		CompletableFuture<?>[] started = watches.stream().map(KeyWatch::started).toArray(CompletableFuture[]::new);
		await("the start of all watches").atMost(TIMEOUT).until(CompletableFuture.allOf(started)::isDone);
		assertThat(watches).allMatch(KeyWatch::isActive);
		assertThat(this.log.messages()).isEmpty();
		this.proxy.block();
		await("the end of the connection").atMost(TIMEOUT).until(() -> watches.stream().noneMatch(KeyWatch::isActive));
		this.proxy.unblock();
		await("all watches after the reconnect").atMost(TIMEOUT)
			.until(() -> watches.stream().allMatch(KeyWatch::isActive));
		assertThat(this.log.messages()).isEmpty();
	}

}
