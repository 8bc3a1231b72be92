package io.statestore.console;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.storage.HistoryRetention;
import io.statestore.broker.storage.StorageOptions;
import io.statestore.client.ClientResources;
import io.statestore.client.Key;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.history.StateHistory;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.StateStoreConnection;
import io.statestore.console.StoreReader.ShownHistory;
import io.statestore.test.FaultProxy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.web.server.ResponseStatusException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** A history that takes longer to read than users wait. */
@Timeout(60)
class LongHistoryTests {

	private static final Key LONG = Key.of("long");

	private static final int PAGES = 30;

	@Test
	void stopsReadAfterTimeoutAndRefusesOtherReadsMeanwhile(@TempDir Path directory) throws Exception {
		try (StateStoreBroker broker = StateStoreBroker.builder()
			.storage(StorageOptions.in(directory).withHistory(HistoryRetention.UNLIMITED))
			.start();
				FaultProxy proxy = new FaultProxy(broker.port());
				ClientResources resources = new ClientResources();
				StateStoreConnection connection = new StateStoreConnection(
						ConnectionOptions.builder().host("127.0.0.1").port(proxy.port()).build(), resources)) {
			StateStoreTemplate template = new StateStoreTemplate(connection);
			StateHistory history = new StateHistory(connection, Duration.ofSeconds(10));
			StoreReader reader = new StoreReader(connection, () -> history);
			for (int i = 0; i < PAGES; i++) {
				// Each value fills a page of the history.
				template.set(LONG, (i % 10 + "x").repeat(64 << 10));
			}
			proxy.delay(Duration.ofMillis(200));
			CompletableFuture<ShownHistory> first = CompletableFuture.supplyAsync(() -> reader.history(LONG));
			CompletableFuture<ShownHistory> second = CompletableFuture.supplyAsync(() -> reader.history(LONG));
			await().until(() -> first.isDone() || second.isDone());
			CompletableFuture<ShownHistory> refused = first.isDone() ? first : second;
			assertThat(refused).failsWithin(Duration.ofSeconds(30))
				.withThrowableOfType(ExecutionException.class)
				.havingCause()
				.isInstanceOf(ResponseStatusException.class)
				.withMessageContaining("Another history is being read. Try again.");
			assertThat((refused == first) ? second : first).succeedsWithin(Duration.ofSeconds(30))
				.returns(false, ShownHistory::complete);

			proxy.delay(Duration.ZERO);
			// A busy machine may exceed the timeout, too.
			ShownHistory complete = await().until(() -> reader.history(LONG), ShownHistory::complete);
			assertThat(complete.changes()).hasSize(PAGES);
		}
	}

}
