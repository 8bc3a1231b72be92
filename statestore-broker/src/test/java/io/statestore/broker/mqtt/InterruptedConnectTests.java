package io.statestore.broker.mqtt;

import java.util.List;
import java.util.concurrent.CountDownLatch;

import ch.qos.logback.classic.Level;
import io.statestore.broker.security.AnonymousAccess;
import io.statestore.broker.security.AuditLog;
import io.statestore.test.CapturedLog;
import io.statestore.test.RawConnect;
import io.statestore.test.RawMqttConnection;
import org.apache.activemq.artemis.core.server.ServerSession;
import org.apache.activemq.artemis.core.server.plugin.ActiveMQServerSessionPlugin;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Connections that end while Artemis executes their CONNECT. */
@Isolated("captures the log")
class InterruptedConnectTests extends MqttBrokerTest {

	private final CountDownLatch executing = new CountDownLatch(1);

	private final CountDownLatch proceed = new CountDownLatch(1);

	private volatile boolean mayPublish = true;

	@Override
	protected MqttBrokerSettings settings() {
		return new MqttBrokerSettings("localhost", 0, MAX_PACKET_SIZE).withSecurity(new MqttSecurity(List.of(),
				AnonymousAccess.ALL, (client) -> new PublishPermissions(() -> this.mayPublish)));
	}

	@Test
	void doesNotPublishWillThatLostItsPermission() throws Exception {
		try (CapturedLog log = new CapturedLog(AuditLog.LOGGER, Level.INFO);
				RawMqttConnection watcher = client("watcher")) {
			watcher.subscribed("wills/+", 0);
			artemis().registerBrokerPlugin(new SlowSessions());
			try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
				client.send(RawConnect.of("c1").will("wills/c1"));
				this.executing.await();
			}
			await("the end of the connection").until(() -> this.broker.connections().open() == 1);
			this.mayPublish = false;
			this.proceed.countDown();
			await("the denial").until(() -> log.contains("client=\"c1\" address=127.0.0.1 action=will"));
			this.mayPublish = true;
			watcher.send(watcher.publish("wills/end", 0, "end"));
			assertThat(watcher.receivePublish().topic).isEqualTo("wills/end");
		}
		finally {
			this.proceed.countDown();
		}
	}

	/** Delays the creation of sessions, as a slow disk would. */
	private final class SlowSessions implements ActiveMQServerSessionPlugin {

		@Override
		public void afterCreateSession(ServerSession session) {
			InterruptedConnectTests.this.executing.countDown();
			try {
				InterruptedConnectTests.this.proceed.await();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

}
