package io.statestore.client.mqtt.internal;

import java.util.Set;
import java.util.concurrent.TimeUnit;

import io.statestore.client.CommandInvoker.Options;
import io.statestore.client.Key;
import io.statestore.client.KeyChange.Operation;
import io.statestore.client.KeyWatcher.Settings;
import io.statestore.client.mqtt.StateStoreConnection;
import io.statestore.client.watch.KeyWatches;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** KEYNOTIFY follows the SUBACK of the notification topic (protocol section 6). */
@Timeout(60)
class KeyNotifyOrderTests {

	private static final Settings SETTINGS = new Settings("test", false, false, Set.of(Operation.SET), null);

	private final FakeBroker broker = new FakeBroker();

	private final StateStoreConnection connection = new StateStoreConnection(this.broker.options().build());

	private final KeyWatches watches = new KeyWatches(this.connection);

	@AfterEach
	void close() {
		this.watches.close();
		this.connection.stop();
		this.broker.close();
	}

	@Test
	void sendsNoKeyNotifyBeforeSubAck() throws Exception {
		withholdSubAck();
		watch("before");
		this.connection.start();
		awaitSubscribe(1);
		watch("after");
		assertNoKeyNotify();
		this.broker.releaseSubAcks();
		awaitKeyNotify("before");
		awaitKeyNotify("after");
	}

	@Test
	void sendsNoKeyNotifyBeforeSubAckOfNextConnection() throws Exception {
		watch("key");
		this.connection.start();
		awaitKeyNotify("key");
		withholdSubAck();
		this.broker.requests.clear();
		this.broker.drop();
		awaitSubscribe(2);
		assertNoKeyNotify();
		this.broker.releaseSubAcks();
		awaitKeyNotify("key");
	}

	private void withholdSubAck() {
		this.broker.onSubscribe = (filter) -> isNotificationFilter(filter) ? -1 : 1;
	}

	private static boolean isNotificationFilter(String filter) {
		return filter.endsWith("command/notify/+");
	}

	private void watch(String key) {
		this.watches.watch(Key.of(key), SETTINGS, (change) -> {
		});
	}

	private void awaitSubscribe(int count) {
		await("SUBSCRIBE " + count).until(() -> this.broker.subscriptions.stream()
			.filter(KeyNotifyOrderTests::isNotificationFilter)
			.count() == count);
	}

	/** Several round trips, in which a KEYNOTIFY would have arrived. */
	private void assertNoKeyNotify() throws Exception {
		for (int i = 0; i < 20; i++) {
			this.connection.invoke(new Command.Get(Bytes.of("other")), Options.DEFAULT).get(10, TimeUnit.SECONDS);
		}
		assertThat(this.broker.requests).hasSizeGreaterThanOrEqualTo(20)
			.noneMatch((request) -> request.text().contains("KEYNOTIFY"));
	}

	private void awaitKeyNotify(String key) {
		await("KEYNOTIFY of " + key).until(() -> this.broker.requests.stream()
			.anyMatch((request) -> request.text().contains("KEYNOTIFY") && request.text().contains(key)));
	}

}
