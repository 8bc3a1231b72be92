package io.statestore.broker.gateway;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import io.statestore.broker.memory.MemoryBudget;
import io.statestore.broker.memory.MemoryUse;
import io.statestore.broker.security.Permissions;
import io.statestore.broker.server.IncomingRequest;
import io.statestore.broker.server.OutgoingMessage;
import io.statestore.broker.server.OutgoingMessage.Kind;
import io.statestore.broker.server.StateStoreServer;
import io.statestore.broker.server.StateStoreServerOptions;
import io.statestore.broker.server.UserProperty;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Commands;
import io.statestore.protocol.ProtocolDialect;
import io.statestore.protocol.Topics;
import io.statestore.protocol.Version;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Gateway clients, with a clock controlled by the test and a real server. */
class GatewayClientsTests {

	private static final Duration LEASE = Duration.ofMinutes(10);

	private static final Bytes KEY = Bytes.of("k");

	@AutoClose
	private final StateStoreServer server = new StateStoreServer();

	private final List<String> notified = new ArrayList<>();

	private final List<String> replies = new ArrayList<>();

	private final MemoryBudget budget = new MemoryBudget(100_000, 50_000);

	private final RetainedWatchers watchers = new RetainedWatchers(
			(page, payload, acknowledged) -> acknowledged.accept(0));

	private final GatewayClients clients = new GatewayClients(this.server, this.watchers, this.budget, LEASE,
			() -> this.now, new TestSender(), Permissions.ALL);

	private long now;

	private GatewayClient last = new GatewayClient("", this::sent, this.budget.open(), Permissions.ALL);

	private void sent(GatewayClient client, OutgoingMessage message) {
		if (message.kind() == Kind.NOTIFICATION) {
			this.notified.add(client.clientId());
		}
		else {
			this.replies.add(new String(message.payload(), StandardCharsets.UTF_8));
		}
	}

	private void request(String clientId, boolean named, Command command) {
		this.clients.request(new ClientIdentity(clientId, named), (client) -> {
			this.last = client;
			return new IncomingRequest(client, 1, "answers", Bytes.of(UUID.randomUUID().toString()), null,
					List.of(new UserProperty("__ts", new Version(System.currentTimeMillis(), 0, "n").toString())),
					Bytes.wrap(Commands.encode(command)), (reason) -> client.answered());
		});
	}

	private void request(String clientId, Command command) {
		request(clientId, true, command);
	}

	/** Returns the clients that are notified of a change. */
	private List<String> change() {
		this.notified.clear();
		request("writer", new Command.Set(KEY, Bytes.of("v")));
		return this.notified;
	}

	@Test
	void watchEndsWithLease() {
		request("c", new Command.KeyNotify(KEY));
		this.now += LEASE.toNanos() - 1;
		this.clients.expire();
		assertThat(change()).containsExactly("c");

		this.now += 1;
		this.clients.expire();

		assertThat(change()).isEmpty();
		assertThat(this.clients.size()).isEqualTo(1);
	}

	@Test
	void everyRequestRenewsLease() {
		request("c", new Command.KeyNotify(KEY));
		for (int i = 0; i < 3; i++) {
			this.now += LEASE.toNanos() - 1;
			request("c", new Command.Get(Bytes.of("another")));
			this.clients.expire();
		}

		assertThat(change()).containsExactly("c");
	}

	@Test
	void evictsLeastRecentClientWithoutWatches() {
		request("watcher", new Command.KeyNotify(KEY));
		for (int i = 0; i < 1_000; i++) {
			request("c" + i, new Command.Get(KEY));
			request("busy", new Command.Get(KEY));
		}
		GatewayClient busy = this.last;
		assertThat(this.replies).hasSize(2_001).doesNotContain("-ERR the quota has been exceeded\r\n");
		assertThat(this.budget.used(MemoryUse.GATEWAY_CLIENT)).isLessThanOrEqualTo(25_000);
		assertThat(this.clients.isPresent(busy)).isTrue();
		request("busy", new Command.Get(KEY));
		assertThat(this.last).isSameAs(busy);
		assertThat(change()).containsExactly("watcher");
	}

	@Test
	void refusesNewClientsWhenWatchersUseAllMemory() {
		for (int i = 0; i < 100; i++) {
			request("c" + i, new Command.KeyNotify(KEY));
		}
		int accepted = this.clients.size();
		assertThat(accepted).isBetween(10, 25_000 / 2_048);
		assertThat(this.replies).hasSize(100).endsWith("-ERR the quota has been exceeded\r\n");
		assertThat(this.budget.refused(MemoryUse.GATEWAY_CLIENT)).isEqualTo(100 - accepted);

		this.replies.clear();
		request("c0", new Command.Get(KEY));
		assertThat(this.replies).containsExactly("$-1\r\n");

		this.now += LEASE.toNanos();
		this.clients.expire();
		assertThat(this.budget.used()).isZero();
		request("new", new Command.Get(KEY));
		assertThat(this.clients.size()).isEqualTo(1);
	}

	@Test
	void notifiesWatchersOfStaleKeysInTurn() {
		Bytes other = Bytes.of("other");
		for (String client : List.of("a", "b")) {
			request(client, new Command.KeyNotify(KEY));
			request(client, new Command.KeyNotify(other));
			this.clients.missed(this.last, KEY);
			this.clients.missed(this.last, other);
		}
		assertThat(this.clients.resumeNext()).isTrue();
		assertThat(this.last.stale()).as("of b").containsExactly(KEY, other);
		assertThat(this.clients.resumeNext()).isTrue();
		assertThat(this.clients.resumeNext()).isTrue();
		assertThat(this.notified).containsExactly("a", "b", "a");
		request("b", new Command.KeyNotifyStop(other));
		assertThat(this.clients.isBehind()).isFalse();
		assertThat(change()).as("watchers of the key").containsExactlyInAnyOrder("a", "b");
	}

	@Test
	void forgetsStaleKeysOfEndedClient() {
		request("c", new Command.KeyNotify(KEY));
		this.clients.missed(this.last, KEY);
		this.now += LEASE.toNanos();
		this.clients.expire();
		assertThat(this.clients.isBehind()).isFalse();
		this.clients.missed(this.last, KEY);
		assertThat(this.clients.isBehind()).isFalse();
	}

	@Test
	void missingSubscriberEndsOnlyWatchOfThatKey() {
		Bytes other = Bytes.of("other");
		request("c", new Command.KeyNotify(KEY));
		request("c", new Command.KeyNotify(other));
		this.replies.clear();

		this.clients.subscriberMissing(this.last, Topics.notification("c", KEY), this.last.requests());

		assertThat(change()).isEmpty();
		assertThat(this.replies).containsExactly("+OK\r\n");
		request("writer", new Command.Set(other, Bytes.of("v")));
		assertThat(this.notified).containsExactly("c");
	}

	@Test
	void ignoresMissingSubscriberBeforeLaterRequest() {
		request("c", new Command.KeyNotify(KEY));
		int requests = this.last.requests();
		request("c", new Command.KeyNotify(KEY));

		this.clients.subscriberMissing(this.last, Topics.notification("c", KEY), requests);

		assertThat(change()).containsExactly("c");
	}

	@Test
	void ignoresMissingSubscriberAfterLease() {
		request("c", new Command.KeyNotify(KEY));
		GatewayClient old = this.last;
		this.now += LEASE.toNanos();
		this.clients.expire();
		request("c", new Command.KeyNotify(KEY));

		this.clients.subscriberMissing(old, Topics.notification("c", KEY), old.requests());

		assertThat(change()).containsExactly("c");
	}

	private void restore(boolean reportsAbsence, Watch... watches) {
		Retained retained = new Retained(true, reportsAbsence, GatewayStatus.Contents.NONE,
				Map.of(0, new WatcherPage(List.of(watches), 0)));
		this.watchers.load(retained.pages());
		this.clients.restore(retained);
	}

	@Test
	void keepsWatcherBeyondLeaseIfBrokerReportsAbsence() {
		restore(true);
		request("c", new Command.KeyNotify(KEY));
		request("reader", new Command.Get(KEY));
		this.now += LEASE.toNanos();
		this.clients.expire();

		assertThat(change()).containsExactly("c");
		assertThat(this.clients.size()).as("watcher and writer").isEqualTo(2);
	}

	@Test
	void keepsWatcherBeyondLeaseOnceAbsenceWasReported() {
		request("gone", new Command.KeyNotify(KEY));
		this.clients.subscriberMissing(this.last, Topics.notification("gone", KEY), this.last.requests());
		request("c", new Command.KeyNotify(KEY));
		this.now += LEASE.toNanos();
		this.clients.expire();

		assertThat(change()).containsExactly("c");
	}

	@Test
	void endsSilentWatchersWhenMemoryRunsShort() {
		restore(true);
		request("heard", new Command.KeyNotify(KEY));
		GatewayClient heard = this.last;
		request("silent", new Command.KeyNotify(KEY));
		this.now += LEASE.toNanos() - 1;
		this.clients.subscriberFound(heard);
		int others = 0;
		while (this.budget.used() < 75_000) {
			request("c" + others / 50, new Command.KeyNotify(Bytes.of("other" + others)));
			others++;
		}
		this.now += 1;
		this.clients.expire();

		assertThat(change()).containsExactly("heard");
	}

	@Test
	void resumesWatchesFromEarlierGateway() {
		restore(true, new Watch("a", KEY), new Watch("b", KEY), new Watch("a", Bytes.of("other")));
		assertThat(this.clients.resumeNext()).isTrue();
		assertThat(this.clients.resumeNext()).isTrue();
		assertThat(this.notified).containsExactly("a", "a");
		assertThat(this.clients.resumeNext()).isFalse();
		assertThat(this.notified).containsExactly("a", "a", "b");

		assertThat(change()).containsExactlyInAnyOrder("a", "b");
	}

	@Test
	void resumesWatchBeforeRequestToEndIt() {
		restore(true, new Watch("a", KEY));
		request("a", new Command.KeyNotifyStop(KEY));

		assertThat(this.replies).containsExactly("+OK\r\n");
		assertThat(this.watchers.watches("a")).isFalse();
		assertThat(this.clients.resumeNext()).isFalse();
		assertThat(change()).isEmpty();
	}

	@Test
	void endsWatchesFromEarlierGatewayWhenOutOfMemory() {
		for (int i = 0; i < 100; i++) {
			request("c" + i, new Command.KeyNotify(KEY));
		}
		restore(true, new Watch("a", KEY));
		assertThat(this.clients.resumeNext()).isFalse();

		assertThat(this.watchers.watches("a")).isFalse();
	}

	@Test
	void clientWithoutNameCannotWatch() {
		request("answers", false, new Command.Set(KEY, Bytes.of("v")));
		request("answers", false, new Command.Get(KEY));
		request("answers", false, new Command.KeyNotify(KEY));

		assertThat(this.replies).containsExactly("+OK\r\n", "$1\r\nv\r\n", "-ERR not authorized\r\n");
		assertThat(change()).isEmpty();
	}

	@Test
	void refusesToWatchInSpecificationDialect() {
		try (StateStoreServer articles = new StateStoreServer(
				StateStoreServerOptions.defaults().withProtocolDialect(ProtocolDialect.SPECIFICATION))) {
			GatewayClients ofArticles = new GatewayClients(articles, this.watchers, this.budget, LEASE, () -> this.now,
					new TestSender(), Permissions.ALL);
			ofArticles.request(new ClientIdentity("answers", false),
					(client) -> new IncomingRequest(client, 1, "answers", Bytes.of("1"), null, List.of(),
							Bytes.of("*2\r\n$9\r\nkeynotify\r\n$1\r\nk\r\n"), (reason) -> client.answered()));
		}
		assertThat(this.replies).containsExactly("-ERR: not authorized\r\n");
	}

	private final class TestSender implements GatewayClient.Sender {

		@Override
		public void send(GatewayClient client, OutgoingMessage message) {
			sent(client, message);
		}

		@Override
		public void watching(GatewayClient client, Bytes key) {
			GatewayClientsTests.this.clients.watching(client, key);
		}

		@Override
		public void watchEnded(GatewayClient client, Bytes key) {
			GatewayClientsTests.this.clients.watchEnded(client, key);
		}

	}

}
