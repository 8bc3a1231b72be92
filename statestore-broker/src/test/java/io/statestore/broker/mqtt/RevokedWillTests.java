package io.statestore.broker.mqtt;

import java.util.List;

import ch.qos.logback.classic.Level;
import io.statestore.broker.security.AnonymousAccess;
import io.statestore.broker.security.AuditLog;
import io.statestore.test.CapturedLog;
import io.statestore.test.PropertyType;
import io.statestore.test.RawConnect;
import io.statestore.test.RawMqttConnection;
import io.statestore.test.RawPublish;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Wills that a client was permitted to publish when it connected, but no longer is. */
@Isolated("captures the log")
class RevokedWillTests extends MqttBrokerTest {

	private final HeldSessionLog log = new HeldSessionLog();

	private volatile boolean mayPublish = true;

	@Override
	protected MqttBrokerSettings settings() {
		return new MqttBrokerSettings("localhost", 0, MAX_PACKET_SIZE).withSecurity(new MqttSecurity(List.of(),
				AnonymousAccess.ALL, (client) -> new PublishPermissions(() -> this.mayPublish)));
	}

	@Override
	protected MqttBroker start(MqttBrokerSettings settings) {
		return MqttBroker.start(settings, this.server, this.budget, this.log);
	}

	@Test
	void doesNotPublishDelayedWill() throws Exception {
		RawPublish will = RawPublish.of((message) -> {
			message.topic = "wills/c1";
			message.payload = new byte[] { 1 };
			message.willDelay = 1L;
		});
		try (CapturedLog log = new CapturedLog(AuditLog.LOGGER, Level.INFO);
				RawMqttConnection watcher = client("watcher")) {
			watcher.subscribed("wills/+", 0);
			try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
				client.connect(RawConnect.of("c1", PropertyType.SESSION_EXPIRY_INTERVAL.of(100)).will(will));
			}
			await("the end of the connection").until(() -> this.broker.connections().open() == 1);
			this.mayPublish = false;
			assertDenied(log, "c1", watcher);
		}
	}

	/** Takes ten seconds, because the broker does not read while a CONNECT is pending. */
	@Tag("long")
	@Test
	void doesNotPublishWillIfConnectionEndsBeforeConnack() throws Exception {
		try (CapturedLog log = new CapturedLog(AuditLog.LOGGER, Level.INFO);
				RawMqttConnection watcher = client("watcher")) {
			watcher.subscribed("wills/+", 0);
			this.log.hold();
			try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
				client.send(RawConnect.of("c2").will("wills/c2"));
				await("the change").until(() -> this.log.heldChanges() == 1);
			}
			await("the end of the connection").until(() -> this.broker.connections().open() == 1);
			this.mayPublish = false;
			this.log.release();
			assertDenied(log, "c2", watcher);
		}
	}

	private void assertDenied(CapturedLog log, String clientId, RawMqttConnection watcher) throws Exception {
		await("the denial").until(() -> log.contains("client=\"" + clientId + "\" address=127.0.0.1 action=will"));
		this.mayPublish = true;
		watcher.send(watcher.publish("wills/end", 0, "end"));
		assertThat(watcher.receivePublish().topic).isEqualTo("wills/end");
	}

}
