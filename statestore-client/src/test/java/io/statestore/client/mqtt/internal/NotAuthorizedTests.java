package io.statestore.client.mqtt.internal;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

import ch.qos.logback.classic.Level;
import io.statestore.client.Key;
import io.statestore.client.KeyChange.Operation;
import io.statestore.client.KeyWatch;
import io.statestore.client.KeyWatcher.Settings;
import io.statestore.client.StateStoreNotAuthorizedException;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.mqtt.StateStoreConnection;
import io.statestore.client.watch.KeyWatches;
import io.statestore.test.CapturedLog;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/** A store whose rules forbid a key for some time. */
@Timeout(30)
@Isolated("captures the log")
class NotAuthorizedTests {

	private static final Settings SETTINGS = new Settings("test", true, false, Set.of(Operation.SET), null);

	private final FakeBroker broker = new FakeBroker();

	private final CapturedLog log = new CapturedLog("io.statestore.client", Level.WARN);

	private final StateStoreConnection connection = new StateStoreConnection(this.broker.options().build());

	private final KeyWatches watches = new KeyWatches(this.connection);

	private volatile boolean permitted;

	NotAuthorizedTests() {
		this.broker.onRequest = (broker, request) -> {
			request.ack(0);
			request.reply(
					!this.permitted ? "-ERR not authorized\r\n"
							: request.text().contains("KEYNOTIFY") ? "+OK\r\n" : "$5\r\nvalue\r\n",
					"__ts", System.currentTimeMillis() + ":0:StateStore");
		};
	}

	@AfterEach
	void close() {
		this.watches.close();
		this.connection.stop();
		this.broker.close();
		this.log.close();
	}

	@Test
	void watchesKeyOnceRulesPermitIt() {
		List<Object> values = new CopyOnWriteArrayList<>();
		this.connection.start();
		KeyWatch watch = this.watches.watch(Key.of("press"), SETTINGS, (change) -> values.add(change.value()));
		await("attempts").until(() -> keyNotifies() == 2);
		assertThat(watch.isActive()).isFalse();
		assertThat(this.log.messages()).singleElement()
			.asString()
			.contains("KEYNOTIFY failed for the watch of key press", "Allow client 'test' to read this key");
		this.permitted = true;
		await("the value").until(() -> !values.isEmpty());
		await("the watch").until(watch::isActive);
	}

	private long keyNotifies() {
		return this.broker.requests.stream().filter((request) -> request.text().contains("KEYNOTIFY")).count();
	}

	@Test
	void failsAtCallerWithKey() {
		this.connection.start();
		StateStoreTemplate template = new StateStoreTemplate(this.connection);
		assertThatExceptionOfType(StateStoreNotAuthorizedException.class)
			.isThrownBy(() -> template.get("press", String.class))
			.withMessageContaining("GET of key 'press'")
			.satisfies((denied) -> assertThat(denied.key()).isEqualTo(Key.of("press")))
			.satisfies((denied) -> assertThat(denied.getStackTrace()[0].getClassName()).doesNotContain("Refusals"));
	}

}
