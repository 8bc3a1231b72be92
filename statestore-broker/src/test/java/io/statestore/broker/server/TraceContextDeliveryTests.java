package io.statestore.broker.server;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import io.statestore.broker.server.RecordingConnection.Draft;
import io.statestore.broker.server.RecordingConnection.Received;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Command.Condition;
import io.statestore.protocol.Notification;
import io.statestore.protocol.UserProperties;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Trace contexts of writes, in notifications of their changes. */
@ParameterizedClass
@EnumSource(TestStorage.class)
class TraceContextDeliveryTests {

	private static final Bytes KEY = Bytes.of("k");

	private static final Command SET = new Command.Set(KEY, Bytes.of("v"));

	private static final String PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

	private final AtomicLong nanos = new AtomicLong();

	@AutoClose
	private final StateStoreServer server;

	private final RecordingConnection writer;

	private final RecordingConnection watcher;

	TraceContextDeliveryTests(TestStorage storage, @TempDir Path directory) {
		this.server = storage.start(StateStoreServerOptions.defaults().withNanoClock(this.nanos::get), directory);
		this.writer = RecordingConnection.to(this.server, "writer");
		this.watcher = RecordingConnection.to(this.server, "watcher");
		this.watcher.call(new Command.KeyNotify(KEY));
	}

	private void write(Command command, UserProperty... properties) {
		write(command, List.of(properties));
	}

	private void write(Command command, List<UserProperty> properties) {
		Draft draft = this.writer.draft(command);
		List<UserProperty> all = new ArrayList<>(draft.userProperties);
		all.addAll(properties);
		draft.userProperties = all;
		this.writer.exchange(draft);
	}

	/** Returns the next notification. */
	private Received notified() {
		return new Received((OutgoingMessage) this.watcher.take());
	}

	/** Returns the names of the user properties of the next notification. */
	private List<String> names() {
		return notified().message().userProperties().stream().map(UserProperty::name).toList();
	}

	@Test
	void passesTraceContextWithEveryWrite() {
		for (Command command : List.of(SET, new Command.VDel(KEY, Bytes.of("v")), SET, new Command.Del(KEY))) {
			write(command, new UserProperty("traceparent", PARENT), new UserProperty("tracestate", "a=b"),
					new UserProperty("other", "x"));
			Received received = notified();
			assertThat(received.message().userProperties()).containsExactly(
					new UserProperty(UserProperties.TIMESTAMP, received.version().toString()),
					new UserProperty("traceparent", PARENT), new UserProperty("tracestate", "a=b"));
		}
	}

	@Test
	void laterWriteDoesNotInheritTraceContext() {
		write(SET, new UserProperty("traceparent", PARENT));
		write(SET);
		assertThat(names()).containsExactly(UserProperties.TIMESTAMP, "traceparent");
		assertThat(names()).containsExactly(UserProperties.TIMESTAMP);
	}

	@Test
	void failedWriteLeavesNoTraceContext() {
		write(new Command.Set(KEY, Bytes.of("v"), Condition.ALWAYS, null));
		write(new Command.Set(KEY, Bytes.of("w"), Condition.IF_ABSENT, null), new UserProperty("traceparent", PARENT));
		write(SET);
		assertThat(names()).containsExactly(UserProperties.TIMESTAMP);
		assertThat(names()).containsExactly(UserProperties.TIMESTAMP);
	}

	@Test
	void concurrentWritesKeepTheirOwnTraceContexts() {
		for (int i = 0; i < 100; i++) {
			Draft draft = this.writer.draft(new Command.Set(KEY, Bytes.of("v" + i)));
			List<UserProperty> properties = new ArrayList<>(draft.userProperties);
			properties.add(new UserProperty("b3", "v" + i));
			draft.userProperties = properties;
			// Not awaited, so that a log writes several entries together.
			this.server.request(draft.toRequest());
		}
		for (int i = 0; i < 100; i++) {
			Received received = notified();
			assertThat(received.notification()).isEqualTo(new Notification.Set(Bytes.of("v" + i)));
			assertThat(received.property("b3")).isEqualTo("v" + i);
		}
	}

	@Test
	void expiryHasNoTraceContext() {
		write(new Command.Set(KEY, Bytes.of("v"), Condition.ALWAYS, Duration.ofMillis(10)),
				new UserProperty("traceparent", PARENT));
		assertThat(names()).contains("traceparent");
		this.nanos.addAndGet(Duration.ofSeconds(1).toNanos());
		// The write removes the expired key first.
		write(SET, new UserProperty("traceparent", PARENT));
		List<Received> received = new ArrayList<>();
		do {
			received.add(notified());
		}
		while (!(received.get(received.size() - 1).notification() instanceof Notification.Set));
		assertThat(received.get(received.size() - 1).property("traceparent")).isEqualTo(PARENT);
		assertThat(received.subList(0, received.size() - 1))
			.allSatisfy((deletion) -> assertThat(deletion.property("traceparent")).isNull());
	}

	@Test
	void renotificationHasNoTraceContext() {
		write(SET, new UserProperty("traceparent", PARENT));
		assertThat(names()).contains("traceparent");
		this.server.renotify(this.watcher, KEY);
		assertThat(names()).containsExactly(UserProperties.TIMESTAMP);
	}

	@Test
	void ignoresHostileTraceContext() {
		List<UserProperty> hostile = new ArrayList<>();
		UserProperty tooLong = new UserProperty("traceparent", "x".repeat(65_535));
		for (int i = 0; i < 10_000; i++) {
			hostile.add(tooLong);
			hostile.add(new UserProperty("X-" + i, "y"));
		}
		hostile.add(new UserProperty("baggage", "a\u0000b"));
		hostile.add(new UserProperty("traceparent", PARENT));
		write(SET, hostile);
		Received received = notified();
		assertThat(received.message().userProperties()).hasSize(2);
		assertThat(received.property("traceparent")).isEqualTo(PARENT);
	}

}
