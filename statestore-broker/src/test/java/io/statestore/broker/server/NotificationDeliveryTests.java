package io.statestore.broker.server;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import io.statestore.broker.memory.ClientShare;
import io.statestore.broker.server.RecordingConnection.Acknowledged;
import io.statestore.broker.server.RecordingConnection.Received;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Command.Condition;
import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.Notification;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Topics;
import io.statestore.protocol.UserProperties;
import io.statestore.protocol.Version;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Connections and messages of notifications (protocol section 6). */
@ParameterizedClass
@EnumSource(TestStorage.class)
class NotificationDeliveryTests {

	private static final Bytes KEY = Bytes.of("k/ü");

	private static final Command SET = new Command.Set(KEY, Bytes.of("v"));

	private static final Command OBSERVE = new Command.KeyNotify(KEY);

	@AutoClose
	private final StateStoreServer server;

	private final RecordingConnection writer;

	private final RecordingConnection watcher;

	NotificationDeliveryTests(TestStorage storage, @TempDir Path directory) {
		this.server = storage.start(directory);
		this.writer = RecordingConnection.to(this.server, "writer");
		this.watcher = RecordingConnection.to(this.server, "watcher");
	}

	@Test
	void notificationHasTopicAndVersionOnly() {
		this.watcher.call(OBSERVE);
		Version version = this.writer.call(SET).version();
		Received received = new Received((OutgoingMessage) this.watcher.events.remove());
		assertThat(received.notification()).isEqualTo(new Notification.Set(Bytes.of("v")));
		assertThat(received.message().topic()).isEqualTo(
				"clients/statestore/v1/FA9AE35F-2F64-47CD-9BFF-08E2B32A0FE8/77617463686572/command/notify/6B2FC3BC");
		assertThat(received.message().correlationData()).isNull();
		assertThat(received.message().userProperties())
			.containsExactly(new UserProperty(UserProperties.TIMESTAMP, version.toString()));
	}

	@Test
	void everyWatcherReceivesSharedPayloadOnce() {
		RecordingConnection second = RecordingConnection.to(this.server, "second");
		this.watcher.call(OBSERVE);
		second.call(OBSERVE);
		this.writer.call(SET);
		OutgoingMessage one = (OutgoingMessage) this.watcher.events.remove();
		OutgoingMessage other = (OutgoingMessage) second.events.remove();
		assertThat(one.payload()).isSameAs(other.payload());
		assertThat(this.watcher.events).isEmpty();
		assertThat(second.events).isEmpty();
	}

	@Test
	void notificationPrecedesReplyToLaterCommand() {
		this.watcher.call(OBSERVE);
		List<Object> events = this.watcher.exchange(this.watcher.draft(SET));
		assertThat(events).hasSize(3);
		assertThat(new Received((OutgoingMessage) events.get(0)).notification()).isInstanceOf(Notification.Set.class);
		assertThat(new Received((OutgoingMessage) events.get(1)).reply()).isEqualTo(new Reply.Ok());
	}

	@Test
	void patternDeliversReadableKeysOnly() {
		this.watcher.readable = (key) -> key.equals(Bytes.of("k1"));
		this.watcher.call(new Command.PatternNotify(Bytes.of("k*")));
		for (String key : List.of("k1", "k2", "k1")) {
			this.writer.call(new Command.Set(Bytes.of(key), Bytes.of("v")));
		}
		assertThat(this.watcher.events).hasSize(2)
			.allSatisfy((event) -> assertThat(((OutgoingMessage) event).topic())
				.isEqualTo(Topics.notification("watcher", Bytes.of("k1"))));
	}

	@Test
	void watchEndsWithConnection() {
		this.watcher.call(OBSERVE);
		this.server.disconnected(this.watcher);
		this.writer.call(SET);
		assertThat(this.watcher.events).isEmpty();
	}

	@Test
	void watchEndsAtTakeoverInAnyOrder() {
		this.watcher.call(OBSERVE);
		RecordingConnection next = RecordingConnection.to(this.server, "watcher");
		next.call(OBSERVE);
		this.server.disconnected(this.watcher);
		this.writer.call(SET);
		assertThat(this.watcher.events).isEmpty();
		assertThat(next.events).hasSize(1);
	}

	@Test
	void requestFromEndedConnectionWatchesNothing() {
		this.server.disconnected(this.watcher);
		assertThat(this.watcher.exchange(this.watcher.draft(OBSERVE))).containsExactly(new Acknowledged(0x83));
		this.writer.call(SET);
		assertThat(this.watcher.events).isEmpty();
	}

	@Test
	void refusesToWatchKeyTooLongForTopic() {
		Bytes longest = Bytes.wrap(new byte[Topics.MAX_WATCHABLE_KEY_LENGTH]);
		assertThat(this.watcher.call(new Command.KeyNotify(longest)).reply()).isEqualTo(new Reply.Ok());
		Bytes tooLong = Bytes.wrap(new byte[Topics.MAX_WATCHABLE_KEY_LENGTH + 1]);
		assertThat(this.watcher.call(new Command.KeyNotify(tooLong)).reply())
			.isEqualTo(new Reply.Error(ErrorReason.SYNTAX_ERROR));
	}

	@Test
	void notifiesExpiryWithoutOtherTraffic() {
		this.watcher.call(OBSERVE);
		long start = System.nanoTime();
		this.writer.call(new Command.Set(KEY, KEY, Condition.ALWAYS, Duration.ofMillis(150)));
		this.watcher.take();
		Object event = this.watcher.take();
		assertThat(new Received((OutgoingMessage) event).notification()).isEqualTo(new Notification.Delete());
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(150));
	}

	@Test
	void notifiesManyExpiriesInVersionOrder() {
		int count = 1_000;
		for (int i = 0; i < count; i++) {
			this.watcher.call(new Command.KeyNotify(Bytes.of("key" + i)));
		}
		for (int i = 0; i < count; i++) {
			Bytes key = Bytes.of("key" + i);
			this.writer.call(new Command.Set(key, key, Condition.ALWAYS, Duration.ofMillis(1 + (i * 7) % 400)));
			if (i % 2 == 0) {
				// The key was renewed, so its earlier timer has no effect.
				this.writer
					.call(new Command.Set(key, key, Condition.IF_ABSENT_OR_EQUAL, Duration.ofMillis(100 + i % 400)));
			}
		}
		Set<String> seen = new HashSet<>();
		Set<String> alive = new HashSet<>();
		Version last = new Version(0, 0, "x");
		while (seen.size() < count || !alive.isEmpty()) {
			Received received = new Received((OutgoingMessage) this.watcher.take());
			assertThat(received.version()).isGreaterThan(last);
			last = received.version();
			seen.add(received.message().topic());
			if (received.notification() instanceof Notification.Set) {
				alive.add(received.message().topic());
			}
			else {
				assertThat(alive.remove(received.message().topic())).isTrue();
			}
		}
	}

	@Test
	void notifiesExpiryThatPrecedesScheduledExpiry() {
		this.watcher.call(OBSERVE);
		this.writer.call(new Command.Set(Bytes.of("other"), KEY, Condition.ALWAYS, Duration.ofHours(1)));
		this.writer.call(new Command.Set(KEY, KEY, Condition.ALWAYS, Duration.ofMillis(20)));
		this.watcher.take();
		assertThat(new Received((OutgoingMessage) this.watcher.take()).notification())
			.isEqualTo(new Notification.Delete());
	}

	@Test
	void continuesAfterConnectionFailure() {
		ClientConnection broken = new ClientConnection() {

			@Override
			public String clientId() {
				return "broken";
			}

			@Override
			public ClientShare memory() {
				return NotificationDeliveryTests.this.watcher.memory();
			}

			@Override
			public void send(OutgoingMessage message) {
				throw new IllegalStateException("broken on purpose");
			}

			@Override
			public void disconnect(int reasonCode, String reason) {
				throw new IllegalStateException("broken on purpose");
			}

		};
		this.server.connected(broken);
		IncomingRequest good = this.watcher.draft(OBSERVE).toRequest();
		this.server.request(new IncomingRequest(broken, 1, "r", Bytes.of("1"), null, good.userProperties(),
				good.payload(), (reasonCode) -> {
					throw new IllegalStateException("broken on purpose");
				}));
		this.server.request(new IncomingRequest(broken, 1, Topics.REQUEST, Bytes.of("2"), null, good.userProperties(),
				good.payload(), (reasonCode) -> {
				}));
		this.watcher.call(OBSERVE);
		assertThat(this.writer.call(SET).reply()).isEqualTo(new Reply.Ok());
		assertThat(this.watcher.events).hasSize(1);
	}

}
