package io.statestore.broker.server;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.statestore.broker.server.RecordingConnection.Draft;
import io.statestore.broker.server.RecordingConnection.Received;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Command.Condition;
import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.Notification;
import io.statestore.protocol.Reply;
import io.statestore.protocol.UserProperties;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Data that a store with a directory keeps, regardless of how its server ends. */
@ParameterizedClass
@MethodSource("endings")
class RestartTests {

	private static final Bytes KEY = Bytes.of("k");

	private static final Bytes ONE = Bytes.of("1");

	private static final Reply OK = new Reply.Ok();

	private static final Reply MISSING = new Reply.Missing();

	@AutoClose
	private final RestartableStore store = new RestartableStore();

	private final Consumer<RestartableStore> ending;

	private RecordingConnection client = this.store.connect("client");

	RestartTests(Consumer<RestartableStore> ending) {
		this.ending = ending;
	}

	static Stream<Arguments> endings() {
		return Stream.of(ending("close", RestartableStore::restart), ending("kill", RestartableStore::kill),
				ending("power failure", RestartableStore::cutPower));
	}

	private static Arguments ending(String name, Consumer<RestartableStore> ending) {
		return Arguments.of(Named.of(name, ending));
	}

	private void restart() {
		this.ending.accept(this.store);
		this.client = this.store.connect("client");
	}

	static Command.Set set(Bytes value, Condition condition, @Nullable Duration expiry) {
		return new Command.Set(KEY, value, condition, expiry);
	}

	private Reply get() {
		return this.client.call(new Command.Get(KEY)).reply();
	}

	private static UserProperty property(String name, String value) {
		return new UserProperty(name, value);
	}

	private Received send(String correlationData, Command command) {
		return RecordingConnection
			.received(this.client.exchange(this.client.draft(command).correlation(correlationData)));
	}

	@Test
	void keepsValueAndVersion() {
		Version version = this.client.call(set(ONE, Condition.ALWAYS, null)).version();
		for (int i = 0; i < 3; i++) {
			restart();
			Received value = this.client.call(new Command.Get(KEY));
			assertThat(value.reply()).isEqualTo(new Reply.Value(ONE));
			assertThat(value.version()).isEqualTo(version);
		}
		assertThat(this.store.server().statistics().keys()).isEqualTo(1);
	}

	@Test
	void keepsDeletion() {
		this.client.call(set(ONE, Condition.ALWAYS, null));
		this.client.call(new Command.Del(KEY));
		restart();
		assertThat(get()).isEqualTo(MISSING);
	}

	@Test
	void keepsFencingToken() {
		Draft fenced = this.client.draft(set(ONE, Condition.ALWAYS, null));
		String token = this.store.wallMillis.get() + ":0:holder";
		fenced.userProperties = List.of(property(UserProperties.TIMESTAMP, "1000:0:client"),
				property(UserProperties.FENCING_TOKEN, token));
		assertThat(RecordingConnection.received(this.client.exchange(fenced)).reply()).isEqualTo(OK);
		restart();
		assertThat(this.client.call(new Command.Del(KEY)).reply())
			.isEqualTo(new Reply.Error(ErrorReason.FENCING_TOKEN_REQUIRED));
		Draft stale = this.client.draft(new Command.Del(KEY));
		stale.userProperties = List.of(property(UserProperties.FENCING_TOKEN, "1000:0:holder"));
		assertThat(RecordingConnection.received(this.client.exchange(stale)).reply())
			.isEqualTo(new Reply.Error(ErrorReason.FENCING_TOKEN_LOWER_VERSION));
	}

	@Test
	void answersRepeatedRequestAfterLostReply() {
		Command lock = set(ONE, Condition.IF_ABSENT, Duration.ofMinutes(1));
		Received lost = send("lost", lock);
		Received refused = send("refused", lock);
		restart();
		Received again = send("lost", lock);
		assertThat(again.reply()).isEqualTo(OK);
		assertThat(again.version()).isEqualTo(lost.version());
		Received refusedAgain = send("refused", lock);
		assertThat(refusedAgain.reply()).isEqualTo(Reply.Count.NOT_APPLIED);
		assertThat(refusedAgain.version()).isEqualTo(refused.version());
		assertThat(this.store.server().statistics().repeatedRequests()).isEqualTo(2);
	}

	@Test
	void forgetsReplyAfterOneMinuteOfUptime() {
		send("c", set(ONE, Condition.IF_ABSENT, null));
		this.store.pass(Duration.ofSeconds(50));
		send("other", set(ONE, Condition.ALWAYS, null));
		restart();
		this.store.pass(Duration.ofSeconds(11));
		assertThat(send("c", set(ONE, Condition.IF_ABSENT, null)).reply()).isEqualTo(Reply.Count.NOT_APPLIED);
	}

	@Test
	void versionsIncreaseWithClockSetBackOneDay() {
		Version last = this.client.call(set(ONE, Condition.ALWAYS, null)).version();
		for (int i = 0; i < 3; i++) {
			this.store.wallMillis.addAndGet(-Duration.ofDays(1).toMillis());
			restart();
			Version next = this.client.call(set(ONE, Condition.ALWAYS, null)).version();
			assertThat(next).isGreaterThan(last);
			Version deleted = this.client.call(new Command.Del(KEY)).version();
			assertThat(deleted).isGreaterThan(next);
			last = deleted;
		}
	}

	@Test
	void versionExceedsTimestampSeenByRead() {
		Draft read = this.client.draft(new Command.Get(KEY));
		Version seen = new Version(this.store.wallMillis.get() + 30_000, 0, "client");
		read.userProperties = List.of(property(UserProperties.TIMESTAMP, seen.toString()));
		this.client.exchange(read);
		Version version = this.client.call(set(ONE, Condition.ALWAYS, null)).version();
		assertThat(version).isGreaterThan(seen);
		restart();
		assertThat(this.client.call(set(ONE, Condition.ALWAYS, null)).version()).isGreaterThan(version);
	}

	@Test
	void leaseNeverEndsEarly() {
		this.client.call(set(ONE, Condition.ALWAYS, Duration.ofSeconds(10)));
		for (int i = 0; i < 3; i++) {
			this.store.pass(Duration.ofSeconds(3));
			restart();
			assertThat(get()).isEqualTo(new Reply.Value(ONE));
			// A machine's monotonic clock may start over.
			this.store.nanos.set(i * 1_000_000_000L);
			restart();
		}
		this.store.pass(Duration.ofMillis(999));
		assertThat(get()).isEqualTo(new Reply.Value(ONE));
		this.store.pass(Duration.ofSeconds(10));
		assertThat(get()).isEqualTo(MISSING);
	}

	@Test
	void downtimeDoesNotEndLease() {
		this.client.call(set(ONE, Condition.ALWAYS, Duration.ofSeconds(10)));
		this.store.close();
		this.store.pass(Duration.ofHours(1));
		restart();
		assertThat(get()).isEqualTo(new Reply.Value(ONE));
	}

	@Test
	void expiredKeyDoesNotReappear() {
		this.client.call(set(ONE, Condition.ALWAYS, Duration.ofSeconds(10)));
		this.client.call(new Command.Set(Bytes.of("scanned"), ONE, Condition.ALWAYS, Duration.ofSeconds(10)));
		this.store.pass(Duration.ofSeconds(10).plusMillis(1));
		assertThat(get()).isEqualTo(MISSING);
		assertThat(this.client.call(new Command.Scan(Bytes.of("*"), null)).reply())
			.isEqualTo(new Reply.Page(List.of(), null));
		restart();
		assertThat(get()).isEqualTo(MISSING);
		assertThat(this.client.call(new Command.Get(Bytes.of("scanned"))).reply()).isEqualTo(MISSING);
	}

	@Test
	void endsWatches() {
		RecordingConnection watcher = this.store.connect("watcher");
		watcher.call(new Command.KeyNotify(KEY));
		restart();
		RecordingConnection again = this.store.connect("watcher");
		this.client.call(set(ONE, Condition.ALWAYS, null));
		assertThat(again.call(new Command.Get(KEY)).reply()).isEqualTo(new Reply.Value(ONE));
		assertThat(watcher.events).isEmpty();
		again.call(new Command.KeyNotify(KEY));
		this.client.call(new Command.Del(KEY));
		assertThat(new Received((OutgoingMessage) again.take()).notification()).isEqualTo(new Notification.Delete());
	}

	@Test
	void expiryAfterRestartNotifiesWatcher() {
		this.client.call(set(ONE, Condition.ALWAYS, Duration.ofMillis(50)));
		restart();
		RecordingConnection watcher = this.store.connect("watcher");
		watcher.call(new Command.KeyNotify(KEY));
		this.store.pass(Duration.ofSeconds(1));
		assertThat(new Received((OutgoingMessage) watcher.take()).notification()).isEqualTo(new Notification.Delete());
	}

	@Test
	void recoversFromSnapshotAndLaterEntries() {
		this.store.close();
		this.store.minLogBytes = 20_000;
		this.client = this.store.connect("client");
		for (int i = 0; i < 500; i++) {
			this.client.call(new Command.Set(Bytes.of("k" + i % 100), Bytes.of("v" + i)));
		}
		await("a snapshot").untilAsserted(() -> {
			this.client.call(new Command.Set(Bytes.of("last"), ONE));
			assertThat(this.store.server().durability().orElseThrow().snapshotIndex()).isPositive();
		});
		restart();
		for (int i = 400; i < 500; i++) {
			assertThat(this.client.call(new Command.Get(Bytes.of("k" + i % 100))).reply())
				.isEqualTo(new Reply.Value(Bytes.of("v" + i)));
		}
		DurabilityStatistics durability = this.store.server().durability().orElseThrow();
		assertThat(durability.snapshotBytes()).isPositive();
		assertThat(durability.recoveredEntries()).isLessThan(500);
		assertThat(durability.lastIndex()).isGreaterThan(500);
	}

}
