package io.statestore.broker.server;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

import ch.qos.logback.classic.Level;
import io.statestore.broker.server.RecordingConnection.Acknowledged;
import io.statestore.broker.server.RecordingConnection.Disconnected;
import io.statestore.broker.server.RecordingConnection.Draft;
import io.statestore.broker.storage.StorageOptions;
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
import io.statestore.protocol.Version;
import io.statestore.test.CapturedLog;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

@Isolated("captures the log")
class AdministrationHandlerTests {

	private static final Bytes ALL = Bytes.of("*");

	private static final Bytes KEY = Bytes.of("press-1");

	private static final Duration LEASE = Duration.ofSeconds(30);

	private static final String SYNTAX_ERROR = ErrorReason.SYNTAX_ERROR.text();

	private final AtomicLong nanos = new AtomicLong();

	@AutoClose
	private StateStoreServer server = new StateStoreServer(
			StateStoreServerOptions.defaults().withNanoClock(this.nanos::get));

	private RecordingConnection operator = RecordingConnection.to(this.server, "operator");

	@Test
	void showsTokenLastRenewalAndTimeLeft() {
		RecordingConnection holder = client("holder");
		Bytes value = holder("oven-1");
		Version token = acquire(holder, KEY, value);
		this.nanos.addAndGet(Duration.ofSeconds(10).toNanos());
		Version renewal = acquire(holder, KEY, value);
		this.nanos.addAndGet(Duration.ofSeconds(12).toNanos());

		StoredLock lock = lock();

		assertThat(lock.key()).isEqualTo(KEY);
		assertThat(lock.holder()).isEqualTo(value);
		assertThat(lock.client()).isEqualTo("holder");
		assertThat(lock.token()).isEqualTo(token);
		assertThat(lock.version()).isEqualTo(renewal).isGreaterThan(token);
		assertThat(lock.remaining()).isEqualTo(Duration.ofSeconds(18));
		assertThat(lock.successor()).isNull();
	}

	@Test
	void showsPrincipalOfHolder() {
		acquire(client("holder", "ada"), KEY, holder("oven-1"));
		assertThat(lock().client()).isEqualTo("holder");
		assertThat(lock().principal()).isEqualTo("ada");
		acquire(client("other"), Bytes.of("press-2"), holder("oven-2"));
		assertThat(locks(new LockQuery(Bytes.of("press-2"), false, null))).extracting(StoredLock::principal)
			.containsExactly((String) null);
	}

	@Test
	void cutsOffLongPrincipal() {
		acquire(client("holder", "p".repeat(100_000)), KEY, holder("oven-1"));
		assertThat(lock().principal()).isEqualTo("p".repeat(StoredLock.MAX_CLIENT_ID_BYTES));
	}

	@Test
	void countsClientWithSameIdButOtherPrincipalAsWaiter() {
		RecordingConnection holder = client("press", "ada");
		acquire(holder, KEY, holder("press"));
		this.server.disconnected(holder);
		RecordingConnection waiter = client("press", "bob");
		waiter.call(new Command.KeyNotify(KEY));
		acquire(waiter, LockNames.successor(KEY), holder("press"));
		assertThat(lock().principal()).isEqualTo("ada");
		assertThat(lock().successor()).isEqualTo("press");
		assertThat(lock().waiterCount()).isEqualTo(1);
	}

	@Test
	void showsNewTokenOfNextHolder() {
		acquire(client("first"), KEY, holder("first"));
		this.nanos.addAndGet(LEASE.toNanos());
		Version token = acquire(client("second"), KEY, holder("second"));

		assertThat(lock().token()).isEqualTo(token);
		assertThat(lock().client()).isEqualTo("second");
	}

	@Test
	void omitsDataExpiredLocksAndSuccessorLocks() {
		RecordingConnection client = client("client");
		client.call(new Command.Set(Bytes.of("data"), holder("data"), Condition.ALWAYS, null));
		client.call(new Command.Set(Bytes.of("once"), Bytes.of("x"), Condition.IF_ABSENT, LEASE));
		acquire(client, Bytes.of("short"), holder("a"));
		this.nanos.addAndGet(LEASE.toNanos());
		acquire(client, LockNames.successor(KEY), holder("a"));

		assertThat(locks(new LockQuery(ALL, false, null))).isEmpty();
	}

	@Test
	void showsLockFromOtherLibraryOnceRenewed() {
		RecordingConnection client = client("client");
		acquire(client, KEY, Bytes.of("client"));
		assertThat(locks(new LockQuery(ALL, false, null))).isEmpty();
		assertThat(locks(new LockQuery(ALL, true, null))).hasSize(1);

		acquire(client, KEY, Bytes.of("client"));

		assertThat(locks(new LockQuery(ALL, false, null))).hasSize(1);
	}

	@Test
	void omitsOverwrittenKey() {
		RecordingConnection client = client("client");
		acquire(client, KEY, Bytes.of("client"));
		client.call(new Command.Set(KEY, Bytes.of("data"), Condition.ALWAYS, LEASE));

		assertThat(locks(new LockQuery(ALL, true, null))).isEmpty();
	}

	@Test
	void showsSuccessorAndCountsOtherWaiters() {
		RecordingConnection holder = client("holder");
		acquire(holder, KEY, holder("holder"));
		holder.call(new Command.KeyNotify(KEY));
		RecordingConnection successor = client("z-successor");
		acquire(successor, LockNames.successor(KEY), holder("z-successor"));
		for (RecordingConnection waiter : List.of(client("b"), client("a"), successor)) {
			waiter.call(new Command.KeyNotify(LockNames.successor(KEY)));
		}
		successor.call(new Command.KeyNotify(KEY));
		client("other-library").call(new Command.KeyNotify(KEY));

		assertThat(lock().successor()).isEqualTo("z-successor");
		assertThat(lock().waiterCount()).isEqualTo(4);
	}

	@Test
	void countsSuccessorThatWatchesBothLocksOnce() {
		acquire(client("holder"), KEY, holder("holder"));
		RecordingConnection successor = client("successor");
		acquire(successor, LockNames.successor(KEY), holder("other-name"));
		successor.call(new Command.KeyNotify(KEY));
		successor.call(new Command.KeyNotify(LockNames.successor(KEY)));

		assertThat(lock().successor()).isEqualTo("successor");
		assertThat(lock().waiterCount()).isEqualTo(1);
	}

	@Test
	void holderOfUnreleasedSuccessorLockIsNotWaiting() {
		RecordingConnection holder = client("holder");
		acquire(holder, LockNames.successor(KEY), holder("holder"));
		acquire(holder, KEY, holder("holder"));

		assertThat(lock().successor()).isNull();
		assertThat(lock().waiterCount()).isZero();
	}

	@Test
	void returnsManyLocksInPagesOnceEach() {
		RecordingConnection client = client("client");
		for (int i = 0; i < 1_000; i++) {
			acquire(client, Bytes.of("lock-" + i), holder("client"));
			client.call(new Command.Set(Bytes.of("data-" + i), Bytes.of("x"), Condition.ALWAYS, null));
		}
		List<Bytes> found = new ArrayList<>();
		String token = null;
		int pages = 0;
		do {
			AdministrationPage<StoredLock> page = page(new LockQuery(Bytes.of("lock-*"), false, token));
			assertThat(page.items()).hasSizeLessThan(150);
			page.items().forEach((lock) -> found.add(lock.key()));
			token = page.token();
			pages++;
		}
		while (token != null);

		assertThat(found).hasSize(1_000);
		assertThat(new HashSet<>(found)).hasSize(1_000);
		assertThat(pages).isGreaterThan(5);
	}

	@Test
	void findsLockByItsKey() {
		RecordingConnection client = client("client");
		acquire(client, KEY, holder("client"));
		acquire(client, Bytes.of("other"), holder("client"));

		assertThat(locks(new LockQuery(KEY, false, null))).hasSize(1);
		assertThat(locks(new LockQuery(Bytes.of("absent"), false, null))).isEmpty();
	}

	@Test
	void tokenIsKnownAfterReplayUnlessUnknown(@TempDir Path directory) {
		this.server.close();
		StateStoreServerOptions options = StateStoreServerOptions.defaults().withStorage(StorageOptions.in(directory));
		this.server = new StateStoreServer(options);
		Version token = acquire(client("holder"), KEY, holder("holder"));
		this.server.close();

		this.server = new StateStoreServer(options);
		this.operator = client("operator");

		assertThat(lock().version()).isEqualTo(token);
		assertThat(lock().token()).isIn(token, null);
	}

	@Test
	void refusesUnauthorizedClient() {
		acquire(client("holder"), KEY, holder("holder"));

		try (CapturedLog log = new CapturedLog("io.statestore", Level.WARN)) {
			assertThat(error(this.operator.draft(new Command.Get(KEY)), false)).isEqualTo("not authorized");
			assertThat(log.messages()).singleElement().asString().contains("event=denied", "action=administer");
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "LOCKS", "*0\r\n", "*1\r\n$5\r\nLOCKS\r\n", "*2\r\n$5\r\nLOCKS\r\n$1\r\n[\r\n",
			"*2\r\n$5\r\nLOCKS\r\n$2000000000\r\n*\r\n", "*2\r\n$3\r\nGET\r\n$1\r\nk\r\n",
			"*3\r\n$5\r\nLOCKS\r\n$1\r\n*\r\n$4\r\nNONE\r\n",
			"*4\r\n$5\r\nLOCKS\r\n$1\r\n*\r\n$5\r\nTOKEN\r\n$1\r\nx\r\n" })
	void answersMalformedRequestWithError(String payload) {
		Draft draft = this.operator.draft(new Command.Get(KEY));
		draft.payload = Bytes.of(payload).toArray();

		assertThat(error(draft, true)).isIn(SYNTAX_ERROR, ErrorReason.WRONG_NUMBER_OF_ARGUMENTS.text(),
				ErrorReason.UNKNOWN_COMMAND.text());
	}

	@Test
	void doesNotExecuteRequestItCannotAnswer() {
		Draft withoutTopic = query();
		withoutTopic.responseTopic = null;
		Draft withoutCorrelation = query();
		withoutCorrelation.correlationData = null;
		Draft qos0 = query();
		qos0.qos = 0;
		Draft expired = query();
		expired.messageExpiry = Duration.ZERO;

		for (Draft draft : List.of(withoutTopic, withoutCorrelation, qos0, expired)) {
			assertThat(events(draft, true)).containsExactly(new Acknowledged(0x83));
		}
	}

	@Test
	void forbiddenResponseTopicEndsConnection() {
		Draft draft = query();
		draft.responseTopic = Administration.REQUEST_TOPIC;

		this.server.administer(draft.toRequest(), true);
		assertThat(this.operator.take()).isEqualTo(new Acknowledged(0x90));
		assertThat(this.operator.take()).isEqualTo(new Disconnected(0x82));
	}

	@Test
	void closedServerDoesNotAnswer() {
		this.server.close();

		assertThat(events(query(), true)).containsExactly(new Acknowledged(0x83));
	}

	private RecordingConnection client(String clientId, String principal) {
		return RecordingConnection.to(this.server, clientId, principal);
	}

	private RecordingConnection client(String clientId) {
		return RecordingConnection.to(this.server, clientId);
	}

	private static Bytes holder(String name) {
		return Bytes.of(name + '/' + UUID.randomUUID() + "/1");
	}

	private static Version acquire(RecordingConnection client, Bytes key, Bytes holder) {
		return client.call(new Command.Set(key, holder, Condition.IF_ABSENT_OR_EQUAL, LEASE)).version();
	}

	private StoredLock lock() {
		List<StoredLock> locks = locks(new LockQuery(ALL, false, null));
		assertThat(locks).hasSize(1);
		return locks.get(0);
	}

	private List<StoredLock> locks(LockQuery query) {
		return page(query).items();
	}

	private AdministrationPage<StoredLock> page(LockQuery query) {
		Draft draft = query();
		draft.payload = Administration.encode(query);
		List<Object> events = events(draft, true);
		assertThat(events).hasSize(2).endsWith(new Acknowledged(0));
		OutgoingMessage answer = (OutgoingMessage) events.get(0);
		assertThat(answer.correlationData()).isEqualTo(draft.correlationData);
		assertThat(answer.topic()).isEqualTo(draft.responseTopic);
		assertThat(answer.userProperties()).isEmpty();
		return Administration.decodePage(StoredLock.class, Bytes.wrap(answer.payload()));
	}

	private Draft query() {
		Draft draft = this.operator.draft(new Command.Get(KEY));
		draft.payload = Administration.encode(new LockQuery(ALL, false, null));
		return draft;
	}

	private String error(Draft draft, boolean authorized) {
		List<Object> events = events(draft, authorized);
		assertThat(events).hasSize(2).endsWith(new Acknowledged(0));
		Reply reply = Replies.decode(Bytes.wrap(((OutgoingMessage) events.get(0)).payload()));
		return ((Reply.Error) reply).text();
	}

	private List<Object> events(Draft draft, boolean authorized) {
		this.server.administer(draft.toRequest(), authorized);
		List<Object> events = new ArrayList<>();
		while (events.isEmpty() || !(events.get(events.size() - 1) instanceof Acknowledged)) {
			events.add(this.operator.take());
		}
		events.addAll(this.operator.takeEvents());
		return events;
	}

}
