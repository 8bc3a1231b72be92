package io.statestore.broker.server;

import java.time.Duration;
import java.util.UUID;

import io.statestore.broker.engine.LockState;
import io.statestore.broker.engine.Requester;
import io.statestore.broker.engine.StateMachine;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.LockNames;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Waiters whose clients are partly unknown, as after a restart from a snapshot. */
class WaitersTests {

	private static final Bytes KEY = Bytes.of("press-1");

	private static final Bytes SUCCESSOR_KEY = LockNames.successor(KEY);

	@AutoClose
	private final StateStoreServer server = new StateStoreServer();

	private final Connections connections = new Connections(
			new CommandLog(new StateMachine((key, value, version, clientId) -> {
			}), null, Long.MAX_VALUE, () -> {
			}));

	private final Watches watches = new Watches();

	private final RecordingConnection holder = client("holder");

	@BeforeEach
	void watch() {
		this.watches.add(this.holder, KEY);
	}

	@Test
	void successorWithUnknownClientCountsOnce() {
		this.watches.add(client("successor"), KEY);
		this.watches.add(client("waiter"), SUCCESSOR_KEY);

		Waiters waiters = waiters("holder", lock(SUCCESSOR_KEY, "name", null));

		assertThat(waiters.count()).isEqualTo(2);
		assertThat(waiters.successor()).isEqualTo("name");
	}

	@Test
	void successorIsFoundByNameIfItIsItsClientId() {
		this.watches.add(client("other"), KEY);
		this.watches.add(client("successor"), KEY);

		Waiters waiters = waiters("holder", lock(SUCCESSOR_KEY, "successor", null));

		assertThat(waiters.count()).isEqualTo(2);
		assertThat(waiters.successor()).isEqualTo("successor");
	}

	@Test
	void countsSuccessorThatWatchesNothing() {
		Waiters waiters = waiters("holder", lock(SUCCESSOR_KEY, "name", null));

		assertThat(waiters.count()).isEqualTo(1);
		assertThat(waiters.successor()).isEqualTo("name");
	}

	@Test
	void lockWatchersDoNotCountIfHolderIsUnknown() {
		this.watches.add(client("other"), KEY);
		this.watches.add(client("waiter"), SUCCESSOR_KEY);

		Waiters waiters = new Waiters(lock(KEY, "unknown", null), null, this.connections, this.watches);

		assertThat(waiters.count()).isEqualTo(1);
		assertThat(waiters.successor()).isNull();
	}

	@Test
	void clientThatWatchesBothLocksCountsOnce() {
		RecordingConnection room = client("room");
		this.watches.add(room, KEY);
		this.watches.add(room, SUCCESSOR_KEY);
		this.watches.add(this.holder, SUCCESSOR_KEY);
		this.watches.add(client("waiter"), SUCCESSOR_KEY);

		assertThat(waiters("holder", null).count()).isEqualTo(2);
	}

	@Test
	void earlierConnectionOfHolderEndsWithItsWatches() {
		this.watches.removeAll(this.holder);
		this.connections.remove(this.holder);
		this.watches.add(client("holder"), KEY);

		assertThat(waiters("holder", null).count()).isZero();
	}

	private RecordingConnection client(String clientId) {
		RecordingConnection connection = new RecordingConnection(this.server, clientId);
		this.connections.add(connection);
		return connection;
	}

	private Waiters waiters(String holder, @Nullable LockState successor) {
		return new Waiters(lock(KEY, holder, holder), successor, this.connections, this.watches);
	}

	private static LockState lock(Bytes key, String name, @Nullable String clientId) {
		Version version = new Version(1, 0, "server");
		Bytes value = Bytes.of(name + '/' + new UUID(1, 2) + "/1");
		return new LockState(key, value, version, version, (clientId != null) ? Requester.anonymous(clientId) : null,
				Duration.ofSeconds(30));
	}

}
