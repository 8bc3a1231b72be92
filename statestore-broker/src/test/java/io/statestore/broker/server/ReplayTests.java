package io.statestore.broker.server;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import io.statestore.broker.engine.LogEntry;
import io.statestore.broker.engine.LogEntryCodec;
import io.statestore.broker.engine.Requester;
import io.statestore.broker.engine.StateMachine;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Command.Condition;
import io.statestore.protocol.LockQuery;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ReplayTests {

	@Test
	void locksOfOneClientShareItsId() {
		StateMachine machine = new StateMachine((key, value, version, clientId) -> {
		});
		List<ByteBuffer> entries = new ArrayList<>();
		entries.add(encode(StoreStart.entry(StateStoreServerOptions.defaults(), 0, 1_000, null, true, 0)));
		for (int i = 0; i < 3; i++) {
			Command.Set set = new Command.Set(Bytes.of("lock-" + i), Bytes.of("x"), Condition.IF_ABSENT,
					Duration.ofSeconds(30));
			entries.add(encode(new LogEntry.Write(0, 1_000, null, set, "1000:0:client", null,
					new Requester("ada", "client"), Bytes.of("c" + i), i, null, true, null)));
		}

		try (Replay replay = new Replay(machine)) {
			replay.add(entries);
			replay.finish();
		}

		List<Requester> clients = new ArrayList<>();
		machine.locks(new LockQuery(Bytes.of("*"), true, null), 0, (lock, successor) -> {
			clients.add(Objects.requireNonNull(lock.client()));
			return 0;
		});
		assertThat(clients).hasSize(3).allSatisfy((client) -> assertThat(client).isSameAs(clients.get(0)));
	}

	private static ByteBuffer encode(LogEntry entry) {
		return ByteBuffer.wrap(LogEntryCodec.encode(entry));
	}

}
