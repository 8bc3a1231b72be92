package io.statestore.broker.gateway;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

import io.statestore.broker.memory.MemoryBudget;
import io.statestore.broker.memory.MemoryUse;
import io.statestore.broker.server.IncomingRequest;
import io.statestore.broker.server.OutgoingMessage;
import io.statestore.broker.server.OutgoingMessage.Kind;
import io.statestore.broker.server.StateStoreServer;
import io.statestore.broker.server.UserProperty;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Commands;
import io.statestore.protocol.Topics;
import io.statestore.protocol.Version;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The clients behind a broker, with a clock of the test and the real server. */
class GatewayClientsTests {

	private static final Duration LEASE = Duration.ofMinutes(10);

	private static final Bytes KEY = Bytes.of("k");

	private final StateStoreServer server = new StateStoreServer();

	private final List<String> notified = new ArrayList<>();

	private final List<String> replies = new ArrayList<>();

	private final MemoryBudget budget = new MemoryBudget(100_000, 50_000);

	private final GatewayClients clients = new GatewayClients(this.server, this.budget, LEASE, () -> this.now,
			this::sent);

	private long now;

	private GatewayClient last = new GatewayClient("", this::sent, this.budget.open());

	@AfterEach
	void close() {
		this.server.close();
	}

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
					Bytes.wrap(Commands.encode(command)), (reason) -> {
					});
		});
	}

	private void request(String clientId, Command command) {
		request(clientId, true, command);
	}

	/** Who is told of a change. */
	private List<String> change() {
		this.notified.clear();
		request("writer", new Command.Set(KEY, Bytes.of("v")));
		return this.notified;
	}

	@Test
	void anObservationEndsWithTheLeaseOfItsClient() {
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
	void everyRequestRenewsTheLease() {
		request("c", new Command.KeyNotify(KEY));
		for (int i = 0; i < 3; i++) {
			this.now += LEASE.toNanos() - 1;
			request("c", new Command.Get(Bytes.of("another")));
			this.clients.expire();
		}

		assertThat(change()).containsExactly("c");
	}

	@Test
	void refusesFurtherClientsWhenMemoryIsUsedUp() {
		for (int i = 0; i < 1_000; i++) {
			request("c" + i, new Command.Get(KEY));
		}
		int accepted = this.clients.size();
		assertThat(accepted).isBetween(10, 100_000 / 2_048);
		assertThat(this.replies).hasSize(1_000).endsWith("-ERR the quota has been exceeded\r\n");
		assertThat(this.budget.refused(MemoryUse.GATEWAY_CLIENT)).isEqualTo(1_000 - accepted);

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
	void missedNotificationEndsAllObservationsOfItsClient() {
		request("other", new Command.KeyNotify(KEY));
		request("c", new Command.KeyNotify(KEY));
		GatewayClient client = this.last;
		assertThat(this.clients.isObserver(client)).isTrue();

		this.clients.overflowed(client);
		this.clients.overflowed(client);

		assertThat(this.clients.isObserver(client)).isFalse();
		assertThat(change()).containsExactly("other");
		request("c", new Command.KeyNotify(KEY));
		assertThat(change()).containsExactlyInAnyOrder("other", "c");
		this.clients.overflowed(client);
		assertThat(change()).containsExactlyInAnyOrder("other", "c");
	}

	@Test
	void anUnheardNotificationEndsTheObservationOfItsKeyAlone() {
		Bytes other = Bytes.of("other");
		request("c", new Command.KeyNotify(KEY));
		request("c", new Command.KeyNotify(other));
		this.replies.clear();

		this.clients.unheard(this.last, Topics.notification("c", KEY), this.last.requests());

		assertThat(change()).isEmpty();
		assertThat(this.replies).containsExactly("+OK\r\n");
		request("writer", new Command.Set(other, Bytes.of("v")));
		assertThat(this.notified).containsExactly("c");
	}

	@Test
	void anUnheardNotificationFromBeforeTheLastRequestSaysNothing() {
		request("c", new Command.KeyNotify(KEY));
		int requests = this.last.requests();
		request("c", new Command.KeyNotify(KEY));

		this.clients.unheard(this.last, Topics.notification("c", KEY), requests);

		assertThat(change()).containsExactly("c");
	}

	@Test
	void anUnheardNotificationOfAnEndedLeaseSaysNothing() {
		request("c", new Command.KeyNotify(KEY));
		GatewayClient old = this.last;
		this.now += LEASE.toNanos();
		this.clients.expire();
		request("c", new Command.KeyNotify(KEY));

		this.clients.unheard(old, Topics.notification("c", KEY), old.requests());

		assertThat(change()).containsExactly("c");
	}

	@Test
	void aClientWithoutNameReadsAndWritesButCannotObserve() {
		request("answers", false, new Command.Set(KEY, Bytes.of("v")));
		request("answers", false, new Command.Get(KEY));
		request("answers", false, new Command.KeyNotify(KEY));

		assertThat(this.replies).containsExactly("+OK\r\n", "$1\r\nv\r\n", "-ERR not authorized\r\n");
		assertThat(change()).isEmpty();
	}

}
