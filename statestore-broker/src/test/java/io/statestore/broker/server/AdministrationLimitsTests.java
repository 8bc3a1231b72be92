package io.statestore.broker.server;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

import io.statestore.broker.log.TestDisk.Hold;
import io.statestore.broker.server.RecordingConnection.Acknowledged;
import io.statestore.broker.server.RecordingConnection.Disconnected;
import io.statestore.broker.server.RecordingConnection.Draft;
import io.statestore.protocol.Administration;
import io.statestore.protocol.AdministrationPage;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Command.Condition;
import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.LockNames;
import io.statestore.protocol.LockQuery;
import io.statestore.protocol.Replies;
import io.statestore.protocol.Reply;
import io.statestore.protocol.StoredLock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Limits on the size, work, and memory of administration requests. */
class AdministrationLimitsTests {

	private static final Bytes KEY = Bytes.of("k");

	private static final Bytes ONE = Bytes.of("1");

	private static final Command SET = new Command.Set(KEY, ONE);

	private static final Duration LEASE = Duration.ofSeconds(30);

	private static final String LONG = "ü".repeat(30_000);

	/** Long client id. The notification topic contains the id in hexadecimal. */
	private static final String LONG_OF_OBSERVER = "ü".repeat(7_000);

	@AutoClose
	private final RestartableStore store = new RestartableStore();

	@Test
	void pageIsBoundedDespiteManyLongClientIds() {
		RecordingConnection[] waiters = new RecordingConnection[30];
		for (int i = 0; i < waiters.length; i++) {
			waiters[i] = this.store.connect(i + LONG_OF_OBSERVER);
		}
		for (int i = 0; i < 100; i++) {
			Bytes key = Bytes.of("lock-" + i);
			acquire(waiters[i % 10], key);
			acquire(waiters[10], LockNames.successor(key));
			for (RecordingConnection waiter : waiters) {
				assertThat(waiter.call(new Command.KeyNotify(LockNames.successor(key))).reply())
					.isEqualTo(new Reply.Ok());
			}
		}
		RecordingConnection operator = this.store.connect("operator");
		Set<Bytes> found = new HashSet<>();
		@Nullable String token = null;
		do {
			Bytes payload = list(operator, token);
			assertThat(payload.length()).isLessThan(128 * 1024);
			AdministrationPage<StoredLock> page = Administration.decodePage(StoredLock.class, payload);
			page.items().forEach((lock) -> {
				assertThat(found.add(lock.key())).isTrue();
				assertThat(lock.waiterCount()).isEqualTo(29);
				isShort(lock.successor());
				isShort(lock.client());
			});
			token = page.token();
		}
		while (token != null);
		assertThat(found).hasSize(100);
	}

	private void isShort(@Nullable String clientId) {
		assertThat(clientId).isNotNull();
		assertThat(Bytes.of(clientId).length()).isBetween(250, 256);
		assertThat(clientId).doesNotContain("?", "\ufffd");
	}

	@Test
	void longClientIdsCountTowardPageWork() {
		for (int i = 0; i < 200; i++) {
			acquire(this.store.connect(i + LONG), Bytes.of("lock-" + i));
		}
		AdministrationPage<StoredLock> page = Administration.decodePage(StoredLock.class,
				list(this.store.connect("operator"), null));
		assertThat(page.items()).hasSizeLessThan(70);
		assertThat(page.token()).isNotNull();
	}

	@Test
	void keepsOnlyQueryWhileEarlierWriteWaits() {
		this.store.maxHeld = 100_000;
		RecordingConnection busy = this.store.connect("busy");
		RecordingConnection calm = this.store.connect("calm");
		Hold hold = hold(busy);
		for (int i = 0; i < 50; i++) {
			Draft request = query(busy);
			request.userProperties = List.of(new UserProperty("p", "v".repeat(10_000)));
			this.store.server().administer(request.toRequest(), true);
		}
		assertThat(busy.events).isEmpty();
		this.store.server().request(calm.draft(SET).toRequest());
		hold.release();
		assertThat(reply(calm)).isEqualTo(new Reply.Ok());
		assertThat(reply(busy)).isEqualTo(new Reply.Ok());
		for (int i = 0; i < 50; i++) {
			assertThat(reply(busy)).isEqualTo(new Reply.Page(List.of(), null));
		}
	}

	@Test
	void refusesWaitingRequestBeyondMemory() {
		this.store.maxHeld = 1_000_000;
		RecordingConnection busy = this.store.connect("busy");
		RecordingConnection calm = this.store.connect("calm");
		Hold hold = this.store.disk.holdNextForce();
		this.store.server().request(busy.draft(new Command.Set(KEY, Bytes.wrap(new byte[1_000_000]))).toRequest());
		hold.awaitReached();
		this.store.server().administer(query(busy).toRequest(), true);
		assertThat(Administration.decodePage(StoredLock.class, list(calm, null)).items()).isEmpty();
		assertThat(busy.events).isEmpty();
		hold.release();
		assertThat(reply(busy)).isEqualTo(new Reply.Ok());
		assertThat(reply(busy)).isEqualTo(new Reply.Error(ErrorReason.QUOTA_EXCEEDED));
		assertThat(this.store.server().statistics().refusedRequests()).isEqualTo(1);
	}

	@Test
	void disconnectsClientIfItsRequestsNeedTooMuchMemory() {
		this.store.maxHeld = 100_000;
		RecordingConnection busy = this.store.connect("busy");
		Hold hold = hold(busy);
		for (int i = 0; i < 10_000 && busy.events.isEmpty(); i++) {
			Draft request = query(busy).correlation(i + "c".repeat(1_000));
			this.store.server().administer(request.toRequest(), true);
		}
		hold.release();
		assertThat(busy.take()).isEqualTo(new Acknowledged(0x97));
		assertThat(busy.take()).isEqualTo(new Disconnected(0x97));
	}

	@Test
	void refusesUnauthorizedClientWithoutWaiting() {
		RecordingConnection busy = this.store.connect("busy");
		Hold hold = hold(busy);
		this.store.server().administer(query(busy).toRequest(), false);
		assertThat(reply(busy)).isEqualTo(new Reply.Error(ErrorReason.NOT_AUTHORIZED));
		hold.release();
		assertThat(reply(busy)).isEqualTo(new Reply.Ok());
	}

	/** Sends a write that waits for the disk. */
	private Hold hold(RecordingConnection client) {
		Hold hold = this.store.disk.holdNextForce();
		this.store.server().request(client.draft(SET).toRequest());
		hold.awaitReached();
		return hold;
	}

	private static void acquire(RecordingConnection client, Bytes key) {
		client.call(new Command.Set(key, Bytes.of("oven/" + UUID.randomUUID() + "/1"), Condition.IF_ABSENT_OR_EQUAL,
				LEASE));
	}

	private static Draft query(RecordingConnection client) {
		Draft draft = client.draft(SET);
		draft.payload = Administration.encode(new LockQuery(Bytes.of("*"), false, null));
		return draft;
	}

	private Bytes list(RecordingConnection client, @Nullable String token) {
		Draft draft = client.draft(SET);
		draft.payload = Administration.encode(new LockQuery(Bytes.of("*"), false, token));
		this.store.server().administer(draft.toRequest(), true);
		return payload(client);
	}

	private static Reply reply(RecordingConnection client) {
		return Replies.decode(payload(client));
	}

	private static Bytes payload(RecordingConnection client) {
		OutgoingMessage message = (OutgoingMessage) client.take();
		assertThat(client.take()).isEqualTo(new Acknowledged(0));
		return Bytes.wrap(message.payload());
	}

}
