package io.statestore.broker.server;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;

import io.statestore.broker.session.Message;
import io.statestore.broker.session.SessionChange;
import io.statestore.broker.session.SessionLog;
import io.statestore.broker.session.SessionLog.Outcome;
import io.statestore.broker.storage.Fsync;
import io.statestore.broker.storage.HistoryRetention;
import io.statestore.protocol.Administration;
import io.statestore.protocol.AdministrationPage;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Command.Condition;
import io.statestore.protocol.HistoryQuery;
import io.statestore.protocol.ProtocolException;
import io.statestore.protocol.Reply;
import io.statestore.protocol.StoredChange;
import io.statestore.protocol.StoredChange.Operation;
import io.statestore.protocol.Version;
import io.statestore.test.TestRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/** Histories that clients read from a store's log. */
class StoreHistoryTests {

	private static final Bytes ALL = Bytes.of("*");

	private final Random random = TestRandom.create(StoreHistoryTests.class);

	@AutoClose
	private final RestartableStore store = new RestartableStore(this.random.nextLong());

	/** All acknowledged changes, and expiries. */
	private final List<StoredChange> expected = new ArrayList<>();

	private final Map<Bytes, Bytes> content = new LinkedHashMap<>();

	StoreHistoryTests() {
		this.store.storage = this.store.storage.withHistory(HistoryRetention.UNLIMITED);
	}

	private void set(RecordingConnection client, String key, String value) {
		set(client, Bytes.of(key), Bytes.of(value), null);
	}

	private void set(RecordingConnection client, Bytes key, Bytes value, @Nullable Duration expiry) {
		Version version = client.call(new Command.Set(key, value, Condition.ALWAYS, expiry, null)).version();
		this.expected.add(new StoredChange(Operation.SET, key, value, version, client.clientId(), principal(client)));
		this.content.put(key, value);
	}

	private void increment(RecordingConnection client, Bytes key, long delta) {
		RecordingConnection.Received reply = client.call(new Command.Increment(key, delta));
		Bytes sum = Bytes.of(Long.toString(((Reply.Count) reply.reply()).number()));
		this.expected
			.add(new StoredChange(Operation.SET, key, sum, reply.version(), client.clientId(), principal(client)));
		this.content.put(key, sum);
	}

	private void delete(RecordingConnection client, Bytes key) {
		RecordingConnection.Received reply = client.call(new Command.Del(key));
		if (this.content.remove(key) != null) {
			this.expected.add(new StoredChange(Operation.DELETE, key, Bytes.EMPTY, reply.version(), client.clientId(),
					principal(client)));
		}
	}

	private static @Nullable String principal(RecordingConnection client) {
		return client.principal().name().isEmpty() ? null : client.principal().name();
	}

	private AdministrationPage<StoredChange> page(RecordingConnection client, HistoryQuery query) {
		RecordingConnection.Draft draft = client.draft(new Command.Get(Bytes.of("k")));
		draft.payload = Administration.encode(query);
		client.server().administer(draft.toRequest(), false);
		byte[] answer = ((OutgoingMessage) client.take()).payload();
		client.take();
		return Administration.decodePage(StoredChange.class, Bytes.wrap(answer));
	}

	private List<StoredChange> read(HistoryQuery query) {
		return read(this.store.connect("reader"), query);
	}

	private List<StoredChange> read(RecordingConnection client, HistoryQuery query) {
		List<StoredChange> changes = new ArrayList<>();
		AdministrationPage<StoredChange> page = page(client, query);
		changes.addAll(page.items());
		for (String token = page.token(); token != null; token = page.token()) {
			page = page(client, query.next(token));
			changes.addAll(page.items());
		}
		return changes;
	}

	private List<StoredChange> all() {
		return read(new HistoryQuery(ALL, null, null, null));
	}

	/** Reads in reverse order, and returns the changes in order. */
	private List<StoredChange> latest(Bytes pattern) {
		List<StoredChange> changes = read(new HistoryQuery(pattern, null, null, true, null));
		Collections.reverse(changes);
		return changes;
	}

	private static Map<Bytes, Bytes> apply(List<StoredChange> changes) {
		Map<Bytes, Bytes> content = new LinkedHashMap<>();
		for (StoredChange change : changes) {
			switch (change.operation()) {
				case SET, PRESENT -> content.put(change.key(), change.value());
				case DELETE, EXPIRE -> content.remove(change.key());
				case GAP -> content.clear();
			}
		}
		return content;
	}

	@Test
	void containsChangesWithAuthorAndVersion() {
		RecordingConnection anonymous = this.store.connect("line-1");
		RecordingConnection named = RecordingConnection.to(this.store.server(), "line-2", "alice");
		set(anonymous, "a", "1");
		set(named, "a", "2");
		anonymous.call(new Command.Set(Bytes.of("a"), Bytes.of("refused"), Condition.IF_ABSENT, null, null));
		delete(anonymous, Bytes.of("absent"));
		increment(named, Bytes.of("count"), -5);
		increment(anonymous, Bytes.of("count"), 7);
		delete(named, Bytes.of("a"));

		assertThat(all()).isEqualTo(this.expected)
			.extracting(StoredChange::author)
			.containsExactly("line-1", "alice", "alice", "line-1", "alice");
	}

	@Test
	void containsExpiry() {
		set(this.store.connect("client"), Bytes.of("lease"), Bytes.of("v"), Duration.ofSeconds(1));
		this.store.pass(Duration.ofSeconds(2));
		this.store.connect("other").call(new Command.Get(Bytes.of("lease")));
		set(this.store.connect("client"), "other", "v");

		List<StoredChange> changes = all();
		assertThat(changes).extracting(StoredChange::operation)
			.containsExactlyInAnyOrder(Operation.SET, Operation.SET, Operation.EXPIRE);
		assertThat(changes).filteredOn((change) -> change.operation() == Operation.EXPIRE)
			.singleElement()
			.satisfies((change) -> assertThat(change.key()).isEqualTo(Bytes.of("lease")))
			.satisfies((change) -> assertThat(change.author()).isNull());
	}

	@Test
	void containsSumStoredByEntryThatAlsoExpiresTheKey() {
		this.store.minLogBytes = 10_000;
		RecordingConnection client = this.store.connect("client");
		Bytes count = Bytes.of("count");
		set(client, count, Bytes.of("-5"), Duration.ofSeconds(1));
		this.store.pass(Duration.ofSeconds(2));
		increment(client, count, -1);
		increment(client, count, -9);
		delete(client, count);
		set(client, "last", "v");

		List<StoredChange> changes = all();
		assertThat(changes).extracting(StoredChange::operation)
			.containsExactly(Operation.SET, Operation.EXPIRE, Operation.SET, Operation.SET, Operation.DELETE,
					Operation.SET);
		assertThat(changes).filteredOn((change) -> change.operation() != Operation.EXPIRE).isEqualTo(this.expected);
		this.store.restart();
		assertThat(all()).isEqualTo(changes);
		writeUntilSnapshot(this.store.connect("client"));
		this.store.restart();
		assertThat(all().subList(0, changes.size())).isEqualTo(changes);
	}

	@Test
	void selectsKeysAndVersions() {
		RecordingConnection client = this.store.connect("client");
		set(client, "line/1", "a");
		set(client, "other", "b");
		set(client, "line/2", "c");
		set(client, "line/1", "d");

		assertThat(read(new HistoryQuery(Bytes.of("line/*"), null, null, null)))
			.isEqualTo(List.of(this.expected.get(0), this.expected.get(2), this.expected.get(3)));
		assertThat(read(new HistoryQuery(Bytes.of("line/1"), this.expected.get(0).version(), null, null)))
			.containsExactly(this.expected.get(3));
		assertThat(latest(Bytes.of("line/*")))
			.isEqualTo(List.of(this.expected.get(0), this.expected.get(2), this.expected.get(3)));
		assertThat(apply(read(new HistoryQuery(ALL, null, this.expected.get(1).version(), null))))
			.isEqualTo(Map.of(Bytes.of("line/1"), Bytes.of("a"), Bytes.of("other"), Bytes.of("b")));
	}

	@Test
	void continuesWithChangesMadeBetweenPages() {
		RecordingConnection client = this.store.connect("client");
		for (int round = 0; round < 20; round++) {
			for (int i = this.random.nextInt(200); i > 0; i--) {
				change(client);
			}
			HistoryQuery query = new HistoryQuery(ALL, null, null, null);
			AdministrationPage<StoredChange> page = page(client, query);
			List<StoredChange> changes = new ArrayList<>(page.items());
			for (String token = page.token(); token != null; token = page.token()) {
				change(client);
				page = page(client, query.next(token));
				changes.addAll(page.items());
			}
			assertThat(changes).isEqualTo(this.expected);
		}
	}

	@Test
	void reportsGapAfterChangeLostInPowerCut() {
		this.store.with(Fsync.NEVER);
		set(this.store.connect("client"), "kept", "1");
		this.store.restart();
		Version lost = null;
		// A power cut may spare unforced data.
		while (lost == null || all().stream().map(StoredChange::version).anyMatch(lost::equals)) {
			set(this.store.connect("client"), "lost", "2");
			List<StoredChange> changes = all();
			lost = changes.get(changes.size() - 1).version();
			this.store.cutPower();
		}
		set(this.store.connect("client"), "later", "3");

		List<StoredChange> changes = read(new HistoryQuery(ALL, lost, null, null));
		assertThat(changes.get(0).operation()).isEqualTo(Operation.GAP);
		assertThat(apply(changes)).isEqualTo(apply(all())).containsKeys(Bytes.of("kept"), Bytes.of("later"));
	}

	@Test
	void continuesThroughSnapshotsAndCrashes() {
		this.store.minLogBytes = 20_000;
		for (int round = 0; round < 12; round++) {
			RecordingConnection client = this.store.connect("client-" + round);
			int writes = this.random.nextInt(200);
			for (int i = 0; i < writes; i++) {
				change(client);
			}
			switch (this.random.nextInt(4)) {
				case 0 -> this.store.kill();
				case 1 -> this.store.cutPower();
				case 2 -> this.store.restart();
				default -> {
				}
			}
			assertThat(all()).as("round " + round).isEqualTo(this.expected);
			assertThat(latest(ALL)).as("round " + round).isEqualTo(this.expected);
		}
		for (int i = 0; i < 20; i++) {
			int last = this.random.nextInt(this.expected.size());
			Version version = this.expected.get(last).version();
			assertThat(read(new HistoryQuery(ALL, version, null, null)))
				.isEqualTo(this.expected.subList(last + 1, this.expected.size()));
			assertThat(apply(read(new HistoryQuery(ALL, null, version, null))))
				.isEqualTo(apply(this.expected.subList(0, last + 1)));
		}
	}

	private void change(RecordingConnection client) {
		Bytes key = Bytes.of("key-" + this.random.nextInt(50));
		int kind = this.random.nextInt(8);
		if (kind < 2) {
			delete(client, key);
		}
		else if (kind == 2) {
			increment(client, Bytes.of("count-" + this.random.nextInt(5)), this.random.nextLong() / 100_000);
		}
		else {
			set(client, key, Bytes.of("v".repeat(this.random.nextInt(400)) + this.random.nextInt()), null);
		}
	}

	@Test
	void retentionKeepsContent() {
		this.store.minLogBytes = 20_000;
		this.store.storage = this.store.storage.withHistory(new HistoryRetention(Duration.ofDays(1), 100_000));
		RecordingConnection client = this.store.connect("client");
		for (int i = 0; i < 4_000; i++) {
			change(client);
		}

		await("retention, which follows a snapshot").until(() -> all().size() < 3_000);
		List<StoredChange> changes = all();
		assertThat(changes.get(0).operation()).isEqualTo(Operation.PRESENT);
		assertThat(apply(changes)).isEqualTo(this.content);
		List<StoredChange> behindContent = changes.stream()
			.filter((change) -> change.operation() != Operation.PRESENT)
			.toList();
		assertThat(this.expected).endsWith(behindContent.toArray(StoredChange[]::new));
		assertThat(behindContent).hasSizeLessThan(3_000);
		assertThat(latest(ALL)).isEqualTo(behindContent);

		// Older changes are gone: the history has a gap, the content, and later changes.
		List<StoredChange> behindFirst = read(new HistoryQuery(ALL, this.expected.get(0).version(), null, null));
		assertThat(behindFirst.get(0).operation()).isEqualTo(Operation.GAP);
		assertThat(apply(behindFirst)).isEqualTo(this.content);
		assertThatExceptionOfType(ProtocolException.class)
			.isThrownBy(() -> read(new HistoryQuery(ALL, null, this.expected.get(0).version(), null)))
			.withMessageContaining("does not contain the store as it was");
	}

	@Test
	void keepsNoOrdinaryMessages() {
		this.store.minLogBytes = 200_000;
		RecordingConnection client = this.store.connect("client");
		SessionLog sessions = Objects.requireNonNull(this.store.server().sessionLog());
		int messages = 0;
		while (this.store.server().durability().orElseThrow().snapshotIndex() == 0) {
			messages++;
			Message message = new Message("topic", new byte[0], new byte[10_000], 1, true, Message.NEVER, "publisher");
			sessions.append(new SessionChange.Publish(message, "", 0, 0, Map.of(), false, 0), Outcome.NONE);
			change(client);
		}
		this.store.restart();

		assertThat(all()).isEqualTo(this.expected);
		assertThat(this.store.disk.bytes(Path.of("/store/history"))).isLessThan(messages * 1_000L);
	}

	@Test
	void disabledHistoryLeavesGap() {
		this.store.minLogBytes = 10_000;
		RecordingConnection client = this.store.connect("client");
		writeUntilSnapshot(client);
		this.store.storage = this.store.storage.withHistory(null);
		this.store.restart();
		writeUntilSnapshot(this.store.connect("client"));
		this.store.storage = this.store.storage.withHistory(HistoryRetention.UNLIMITED);
		this.store.restart();
		set(this.store.connect("client"), "last", "v");

		List<StoredChange> changes = all();
		assertThat(changes).filteredOn((change) -> change.operation() == Operation.GAP).hasSize(1);
		assertThat(changes).endsWith(this.expected.get(this.expected.size() - 1));
		assertThat(apply(changes)).isEqualTo(this.content);
		assertThat(latest(ALL)).first().returns(Operation.GAP, StoredChange::operation);
		assertThat(changes).endsWith(latest(ALL).stream().skip(1).toArray(StoredChange[]::new));
	}

	@Test
	void hasNoContentWithinGap() {
		this.store.minLogBytes = 10_000;
		writeUntilSnapshot(this.store.connect("client"));
		this.store.storage = this.store.storage.withHistory(null);
		this.store.restart();
		RecordingConnection client = this.store.connect("client");
		for (int i = 0; i < 200; i++) {
			set(client, "key-" + i, "v");
		}
		Version missing = this.expected.get(this.expected.size() - 1).version();
		writeUntilSnapshot(client);
		writeUntilSnapshot(client);
		this.store.storage = this.store.storage.withHistory(HistoryRetention.UNLIMITED);
		this.store.restart();
		set(this.store.connect("client"), "last", "v");

		assertThatExceptionOfType(ProtocolException.class)
			.isThrownBy(() -> read(new HistoryQuery(ALL, null, missing, null)))
			.withMessageContaining("does not contain the store as it was");
	}

	@Test
	void continuesWhileRetentionRemovesChangesBeingRead() {
		this.store.minLogBytes = 10_000;
		this.store.storage = this.store.storage.withHistory(new HistoryRetention(Duration.ofDays(1), 1));
		RecordingConnection client = this.store.connect("client");
		writeUntilSnapshot(client);
		for (int round = 0; round < 30; round++) {
			HistoryQuery query = new HistoryQuery(ALL, null, null, null);
			AdministrationPage<StoredChange> page = page(client, query);
			List<StoredChange> changes = new ArrayList<>(page.items());
			for (String token = page.token(); token != null; token = page.token()) {
				writeUntilSnapshot(client);
				page = page(client, query.next(token));
				changes.addAll(page.items());
			}
			assertThat(apply(changes)).isEqualTo(this.content);
			for (int i = this.random.nextInt(60); i > 0; i--) {
				change(client);
			}
		}
	}

	@Test
	void refusesRestOfContentRemovedBetweenPages() {
		this.store.minLogBytes = 200_000;
		RecordingConnection client = this.store.connect("client");
		for (int i = 0; i < 1_000; i++) {
			set(client, "key-" + i, "v".repeat(200));
		}
		writeUntilSnapshot(client);
		HistoryQuery query = new HistoryQuery(ALL, null, this.expected.get(this.expected.size() - 1).version(), null);
		String token = Objects.requireNonNull(page(client, query).token());
		this.store.storage = this.store.storage.withHistory(new HistoryRetention(Duration.ofDays(1), 1));
		this.store.restart();
		for (int i = 0; i < 3; i++) {
			writeUntilSnapshot(this.store.connect("client"));
		}
		// Waits until the last snapshot has removed excess history.
		this.store.restart();

		assertThatExceptionOfType(ProtocolException.class).isThrownBy(() -> read(query.next(token)))
			.withMessageContaining("does not contain the store as it was");
	}

	@Test
	void closesWhilePagesAreRequested() {
		this.store.minLogBytes = 100_000;
		RecordingConnection writer = this.store.connect("client");
		writeUntilSnapshot(writer);
		for (int i = 0; i < 200; i++) {
			RecordingConnection client = this.store.connect("client-" + i);
			RecordingConnection.Draft draft = client.draft(new Command.Get(Bytes.of("k")));
			draft.payload = Administration.encode(new HistoryQuery(ALL, null, null, null));
			client.server().administer(draft.toRequest(), false);
		}
		this.store.restart();

		assertThat(all()).isEqualTo(this.expected);
	}

	private void writeUntilSnapshot(RecordingConnection client) {
		long before = this.store.server().durability().orElseThrow().snapshotIndex();
		while (this.store.server().durability().orElseThrow().snapshotIndex() == before) {
			change(client);
		}
	}

	@Test
	void containsOnlyKeysClientMayRead() {
		RecordingConnection client = this.store.connect("client");
		set(client, "line/1", "a");
		set(client, "secret", "b");
		RecordingConnection limited = this.store.connect("reader");
		limited.readable = (key) -> key.equals(Bytes.of("line/1"));

		assertThat(read(limited, new HistoryQuery(ALL, null, null, null))).containsExactly(this.expected.get(0));
	}

	@Test
	void closesTwice() {
		this.store.server().close();
		this.store.server().close();
	}

	@Test
	void serverWithoutHistoryRefusesRequests() {
		this.store.storage = this.store.storage.withHistory(null);

		assertThatExceptionOfType(ProtocolException.class).isThrownBy(this::all)
			.withMessageContaining("this server keeps no history");
	}

	@Test
	void refusesInvalidToken() {
		for (String token : List.of("x", ":", "1:", "a:b", "1:2:", "::", "-1:0", "x/1", "1/a/0", "1/0/-1")) {
			assertThatExceptionOfType(ProtocolException.class).as(token)
				.isThrownBy(() -> read(new HistoryQuery(ALL, null, null, token)));
		}
		assertThatExceptionOfType(ProtocolException.class)
			.isThrownBy(() -> read(new HistoryQuery(ALL, null, null, true, "x")));
	}

	@Test
	void latestPageHoldsNewestLargeChanges() {
		RecordingConnection client = this.store.connect("client");
		for (int i = 0; i < 100; i++) {
			set(client, "large", (i + "x").repeat(5_000));
		}
		AdministrationPage<StoredChange> page = page(client, new HistoryQuery(ALL, null, null, true, null));
		assertThat(page.items()).hasSizeLessThan(30).startsWith(this.expected.get(99), this.expected.get(98));
		assertThat(latest(ALL)).isEqualTo(this.expected);
	}

}
