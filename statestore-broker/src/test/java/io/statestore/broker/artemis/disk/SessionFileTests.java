package io.statestore.broker.artemis.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import io.statestore.broker.artemis.disk.SessionChange.Acknowledged;
import io.statestore.broker.artemis.disk.SessionChange.Clock;
import io.statestore.broker.artemis.disk.SessionChange.Confirmed;
import io.statestore.broker.artemis.disk.SessionChange.Ended;
import io.statestore.broker.artemis.disk.SessionChange.Kept;
import io.statestore.broker.artemis.disk.SessionChange.Received;
import io.statestore.broker.artemis.disk.SessionChange.Released;
import io.statestore.broker.artemis.disk.SessionChange.Sent;
import io.statestore.broker.artemis.disk.SessionChange.Subscribed;
import io.statestore.broker.artemis.disk.SessionChange.Unsubscribed;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

/** Changes of sessions in a file. */
class SessionFileTests {

	private static final StoredSubscription SUBSCRIPTION = new StoredSubscription("a/ü/#", 2, true, true, 2,
			268_435_455);

	private static final StoredSubscription PLAIN = new StoredSubscription("b", 0, false, false, 0, null);

	private static final SessionChange RECEIVED = new Received("c/", 3);

	/** Number of changes after which a file is rewritten. */
	private static final int MANY = 1_700;

	private final String queue = "q".repeat(10_000);

	@TempDir
	Path directory;

	private final AtomicLong nanos = new AtomicLong();

	private SessionFile open() throws IOException {
		return SessionFile.open(this.directory.resolve("sessions"), true, this.nanos::get);
	}

	private static void append(SessionFile file, SessionChange change) throws IOException {
		file.append(change.clientId(), (session) -> List.of(change));
	}

	private static Map<String, StoredSession> sessions(SessionFile file) {
		Map<String, StoredSession> sessions = new HashMap<>();
		file.forEach(sessions::put);
		return sessions;
	}

	@Test
	void decodesAllChanges() {
		List<SessionChange> changes = List.of(new Kept("c/", 5, StoredSession.ATTACHED), new Ended("é/"),
				new Subscribed("c/", SUBSCRIPTION), new Subscribed("c/", PLAIN), new Unsubscribed("c/", "b"),
				new Received("c/", 65_535), new Released("c/", 1),
				new Sent("c/", 7, new SentMessage(Long.MAX_VALUE, "q", true)), new Confirmed("c/", 7),
				new Acknowledged("c/", 7), new Clock(123));
		assertThat(SessionChangeCodec.decode(ByteBuffer.wrap(SessionChangeCodec.encode(changes)))).isEqualTo(changes);
	}

	@Test
	void keepsSessionsAfterReopening() throws IOException {
		try (SessionFile file = open()) {
			append(file, new Kept("c/", 60, StoredSession.ATTACHED));
			append(file, new Subscribed("c/", SUBSCRIPTION));
			append(file, new Subscribed("c/", PLAIN));
			append(file, new Unsubscribed("c/", "b"));
			append(file, new Received("c/", 3));
			append(file, new Received("c/", 4));
			append(file, new Released("c/", 3));
			append(file, new Sent("c/", 9, new SentMessage(77, "queue", true)));
			append(file, new Confirmed("c/", 9));
			append(file, new Sent("c/", 10, new SentMessage(78, "queue", true)));
			append(file, new Confirmed("c/", 10));
			append(file, new Acknowledged("c/", 10));
			append(file, new Kept("gone/", 60, StoredSession.ATTACHED));
			append(file, new Ended("gone/"));
		}
		try (SessionFile file = open()) {
			assertThat(sessions(file)).containsOnlyKeys("c/");
			StoredSession session = Objects.requireNonNull(sessions(file).get("c/"));
			assertThat(session.expirySeconds()).isEqualTo(60);
			assertThat(session.subscriptions()).containsExactly(Map.entry("a/ü/#", SUBSCRIPTION));
			assertThat(session.received()).containsExactly(4);
			assertThat(session.sent()).containsExactly(Map.entry(9, new SentMessage(77, "queue", true)));
			assertThat(session.confirmed()).containsExactly(9);
		}
	}

	@Test
	void clockDoesNotCountTimeBetweenProcesses() throws IOException {
		try (SessionFile file = open()) {
			this.nanos.addAndGet(Duration.ofSeconds(5).toNanos());
			file.storeClock();
		}
		this.nanos.addAndGet(Duration.ofHours(1).toNanos());
		try (SessionFile file = open()) {
			assertThat(file.clock()).isEqualTo(5_000);
			this.nanos.addAndGet(Duration.ofSeconds(1).toNanos());
			assertThat(file.clock()).isEqualTo(6_000);
		}
	}

	@Test
	void rewritesOutdatedChangesOfEarlierProcess() throws IOException {
		try (SessionFile file = open()) {
			append(file, new Kept("c/", 60, StoredSession.ATTACHED));
			appendOutdated(file);
		}
		try (SessionFile file = open()) {
			assertThat(file.compact()).isTrue();
		}
	}

	private void appendOutdated(SessionFile file) throws IOException {
		for (int i = 0; i < MANY; i++) {
			append(file, new Sent("c/", 1, new SentMessage(i, this.queue, false)));
		}
	}

	@Test
	void rewritesNothingWithoutSpaceForCopy() throws IOException {
		AtomicLong free = new AtomicLong(1_000_000);
		try (SessionFile file = SessionFile.open(this.directory.resolve("sessions"), true, this.nanos::get, free::get,
				Disk.REAL)) {
			append(file, new Kept("c/", 60, StoredSession.ATTACHED));
			appendOutdated(file);
			assertThat(file.compact()).isFalse();
			free.set(2_000_000);
			assertThat(file.compact()).as("paused").isFalse();
			this.nanos.addAndGet(Duration.ofSeconds(10).toNanos());
			assertThat(file.compact()).isTrue();
		}
	}

	@Test
	void storesChangeWhileFileIsRewritten() throws IOException {
		AtomicReference<Disk> disk = new AtomicReference<>(Disk.REAL);
		try (SessionFile file = SessionFile.open(this.directory.resolve("sessions"), true, this.nanos::get,
				() -> Long.MAX_VALUE, (path, isFolder) -> Objects.requireNonNull(disk.get()).force(path, isFolder))) {
			append(file, new Kept("c/", 60, StoredSession.ATTACHED));
			appendOutdated(file);
			disk.set((path,
					isFolder) -> assertThat(CompletableFuture
						.runAsync(() -> assertThatNoException().isThrownBy(() -> append(file, RECEIVED))))
						.succeedsWithin(Duration.ofSeconds(10)));
			assertThat(file.compact()).isTrue();
		}
		try (SessionFile file = open()) {
			assertThat(Objects.requireNonNull(sessions(file).get("c/")).received()).containsExactly(3);
		}
	}

	@Test
	void rewritesOutdatedChanges() throws IOException {
		try (SessionFile file = open()) {
			append(file, new Kept("c/", 60, StoredSession.ATTACHED));
			append(file, new Subscribed("c/", SUBSCRIPTION));
			assertThat(file.compact()).isFalse();
			appendOutdated(file);
			assertThat(file.compact()).isTrue();
			assertThat(file.compact()).isFalse();
			append(file, new Received("c/", 3));
		}
		assertThat(Files.size(this.directory.resolve("sessions"))).isLessThan(12_000 + 2 * AppendedFile.AHEAD);
		try (SessionFile file = open()) {
			StoredSession session = Objects.requireNonNull(sessions(file).get("c/"));
			assertThat(session.subscriptions()).containsOnlyKeys("a/ü/#");
			assertThat(session.sent()).containsExactly(Map.entry(1, new SentMessage(MANY - 1, this.queue, false)));
			assertThat(session.received()).containsExactly(3);
		}
	}

}
