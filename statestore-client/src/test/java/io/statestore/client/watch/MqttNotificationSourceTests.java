package io.statestore.client.watch;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import ch.qos.logback.classic.Level;
import io.statestore.client.CommandInvoker.Options;
import io.statestore.client.KeyChange;
import io.statestore.client.StateStoreException;
import io.statestore.client.mqtt.ConnectionListener;
import io.statestore.client.mqtt.StateStoreConnection;
import io.statestore.client.mqtt.TestOptions;
import io.statestore.client.mqtt.internal.ConnectionAccess;
import io.statestore.client.mqtt.internal.FakeBroker;
import io.statestore.client.mqtt.internal.LinkMessage;
import io.statestore.client.mqtt.internal.LinkMessage.UserProperty;
import io.statestore.client.mqtt.internal.Publisher;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Notification;
import io.statestore.protocol.Notifications;
import io.statestore.protocol.Topics;
import io.statestore.protocol.UserProperties;
import io.statestore.test.CapturedLog;
import io.statestore.test.Mosquitto;
import io.statestore.test.RequiresProgram;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Notifications through a real broker, sent by hand. */
@Timeout(60)
@Isolated("captures the log")
class MqttNotificationSourceTests {

	private static final Bytes KEY = Bytes.of("key");

	private final List<String> events = new CopyOnWriteArrayList<>();

	private final NotificationSource.Handler handler = new NotificationSource.Handler() {

		@Override
		public void connected() {
			MqttNotificationSourceTests.this.events.add("connected");
		}

		@Override
		public void disconnected() {
			MqttNotificationSourceTests.this.events.add("disconnected");
		}

		@Override
		public void refused(StateStoreException reason) {
			MqttNotificationSourceTests.this.events.add("refused " + reason.getMessage());
		}

		@Override
		public void changed(KeyChange<Bytes> change) {
			MqttNotificationSourceTests.this.events.add(change.toString());
		}

		@Override
		public void unreadable(Bytes key) {
			MqttNotificationSourceTests.this.events.add("unreadable " + key.toUtf8());
		}

	};

	private void awaitEvents(int count) {
		await(count + " events: " + this.events).until(() -> this.events.size() >= count);
	}

	@Test
	@RequiresProgram("mosquitto")
	void readsNotificationsFromEveryConnection() throws IOException {
		try (Mosquitto mosquitto = Mosquitto.start()) {
			StateStoreConnection connection = new StateStoreConnection(
					TestOptions.of(mosquitto).clientId("app").build());
			new MqttNotificationSource(connection).open(this.handler);
			connection.start();
			awaitEvents(1);
			publish(connection, KEY, Notifications.encode(new Notification.Set(Bytes.of("secret"))), "1:2:StateStore");
			publish(connection, KEY, Notifications.encode(new Notification.Delete()), "000001:00003:StateStore");
			publish(connection, KEY, Notifications.encode(new Notification.Delete()), null);
			publish(connection, KEY, "nonsense".getBytes(), "1:4:StateStore");
			publish(connection, KEY, Notifications.encode(new Notification.Delete()), "nonsense");
			awaitEvents(6);
			mosquitto.stop();
			awaitEvents(7);
			mosquitto.restart();
			awaitEvents(8);
			publish(connection, KEY, Notifications.encode(new Notification.Delete()), "1:5:StateStore");
			awaitEvents(9);
			connection.stop();
			assertThat(this.events).containsExactly("connected", "KeyChange[SET key=key, version=1:2:StateStore]",
					"KeyChange[DELETE key=key, version=1:3:StateStore]", "unreadable key", "unreadable key",
					"unreadable key", "disconnected", "connected", "KeyChange[DELETE key=key, version=1:5:StateStore]",
					"disconnected");
		}
	}

	@Test
	@RequiresProgram("mosquitto")
	void subscribesOnExistingConnection() throws IOException {
		try (Mosquitto mosquitto = Mosquitto.start()) {
			StateStoreConnection connection = new StateStoreConnection(TestOptions.of(mosquitto).build());
			connection.start();
			new MqttNotificationSource(connection).open(this.handler);
			awaitEvents(1);
			connection.stop();
			assertThat(this.events).containsExactly("connected", "disconnected");
		}
	}

	@Test
	@RequiresProgram("mosquitto")
	void reportsNothingAfterClose() throws IOException {
		try (Mosquitto mosquitto = Mosquitto.start()) {
			StateStoreConnection connection = new StateStoreConnection(
					TestOptions.of(mosquitto).clientId("app").build());
			MqttNotificationSource source = new MqttNotificationSource(connection);
			source.open(this.handler);
			List<String> others = new CopyOnWriteArrayList<>();
			connection.addListener(new ConnectionListener() {

				@Override
				public void disconnected(String cause) {
					others.add(cause);
				}

			});
			ConnectionAccess.of(connection)
				.addSubscription(Topics.notificationFilter("app"), false, (message) -> others.add(message.topic()));
			connection.start();
			awaitEvents(1);
			source.close();
			source.close();
			publish(connection, KEY, Notifications.encode(new Notification.Delete()), "1:2:StateStore");
			await("the notification").until(() -> !others.isEmpty());
			others.clear();
			connection.stop();
			await("the end").until(() -> !others.isEmpty());
			assertThat(this.events).containsExactly("connected");
		}
	}

	@Test
	void reportsRefusalAndRetries() {
		try (FakeBroker broker = new FakeBroker()) {
			broker.onSubscribe = (filter) -> filter.endsWith("command/notify/+") ? 0x87 : 1;
			StateStoreConnection connection = new StateStoreConnection(broker.options().build());
			connection.start();
			new MqttNotificationSource(connection).open(this.handler);
			awaitEvents(1);
			assertThat(this.events.get(0)).startsWith("refused ").contains("command/notify/+");
			broker.onSubscribe = (filter) -> 1;
			broker.drop();
			awaitEvents(3);
			connection.stop();
			assertThat(this.events.subList(1, 3)).containsExactly("disconnected", "connected");
		}
	}

	@Test
	void reportsRefusalOnEveryConnectionAndKeepsCalls() throws Exception {
		try (FakeBroker broker = new FakeBroker();
				CapturedLog log = new CapturedLog("io.statestore.client.watch", Level.DEBUG)) {
			broker.onSubscribe = (filter) -> filter.endsWith("command/notify/+") ? 0x87 : 1;
			StateStoreConnection connection = new StateStoreConnection(broker.options().build());
			new MqttNotificationSource(connection).open(this.handler);
			connection.start();
			awaitEvents(1);
			connection.invoke(new Command.Get(KEY), Options.DEFAULT).get(10, TimeUnit.SECONDS);
			assertThat(broker.connects).hasSize(1);
			broker.drop();
			awaitEvents(3);
			broker.onSubscribe = (filter) -> 1;
			broker.drop();
			awaitEvents(5);
			connection.stop();
			assertThat(this.events.get(0)).startsWith("refused Keys cannot be watched: ")
				.contains("'" + Topics.notificationFilter("test") + "': not authorized (0x87). Allow it ");
			assertThat(this.events).containsExactly(this.events.get(0), "disconnected", this.events.get(0),
					"disconnected", "connected", "disconnected");
			assertThat(log.messages().stream().filter((message) -> message.startsWith("Keys cannot be watched: ")))
				.hasSize(2);
		}
	}

	private static void publish(StateStoreConnection connection, Bytes key, byte[] payload, @Nullable String version) {
		List<UserProperty> properties = (version != null) ? List.of(new UserProperty(UserProperties.TIMESTAMP, version))
				: List.of();
		LinkMessage message = new LinkMessage(Topics.notification(connection.getClientId(), key), payload, 1, false,
				false, null, null, null, null, properties);
		Publisher.publish(connection, message);
	}

}
