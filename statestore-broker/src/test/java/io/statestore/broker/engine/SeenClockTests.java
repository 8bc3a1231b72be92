package io.statestore.broker.engine;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Version;
import org.junit.jupiter.api.Test;

import static io.statestore.broker.engine.TestStore.START;
import static io.statestore.broker.engine.TestStore.versionOf;
import static org.assertj.core.api.Assertions.assertThat;

/** Clock readings in commands that are not logged (protocol section 10). */
class SeenClockTests {

	private final TestStore store = new TestStore();

	private final SeenClock seen = new SeenClock(this.store.machine);

	@Test
	void hasReadingOnlyWhileMachineIsBehind() {
		assertThat(this.seen.pending()).isNull();
		this.store.set("k", "v");
		this.seen.receive(this.store.machine.lastVersion().toString(), START);
		assertThat(this.seen.pending()).isNull();
		this.seen.receive(START + 5 + ":7:client", START);
		assertThat(this.seen.pending()).isEqualTo(new Version(START + 5, 7, "StateStore"));
		this.store.append(new LogEntry.Issue(this.store.nanos, START, this.seen.pending()));
		assertThat(this.store.machine.lastVersion()).isEqualTo(new Version(START + 5, 8, "StateStore"));
		assertThat(this.seen.pending()).isNull();
	}

	@Test
	void keepsLatestReading() {
		this.seen.receive(START + 5 + ":7:client", START);
		this.seen.receive(START + 5 + ":6:client", START);
		this.seen.receive(START + ":9:client", START);
		assertThat(this.seen.pending()).isEqualTo(new Version(START + 5, 7, "StateStore"));
		this.seen.receive(START + 6 + ":0:client", START);
		assertThat(this.seen.pending()).isEqualTo(new Version(START + 6, 0, "StateStore"));
	}

	@Test
	void ignoresUnacceptableReading() {
		for (String timestamp : new String[] { null, "", "x", START + 60_001 + ":0:n", START + ":2147483647:n" }) {
			this.seen.receive(timestamp, START);
			assertThat(this.seen.pending()).isNull();
		}
		this.seen.receive(START + 60_000 + ":0:n", START);
		assertThat(this.seen.pending()).isNotNull();
	}

	@Test
	void machineMergesReadingAfterItsClockWasSetBack() {
		this.seen.receive(START + 60_000 + ":0:n", START);
		this.store.wallMillis -= 86_400_000;
		Answer issued = this.store
			.append(new LogEntry.Issue(this.store.nanos, this.store.wallMillis, this.seen.pending()));
		assertThat(versionOf(issued)).isEqualTo(new Version(START + 60_000, 1, "StateStore"));
	}

	@Test
	void versionsExceedTimestampFromEarlierRead() {
		Version ahead = this.store.ahead(30_000);
		this.store.apply(new Command.Get(Bytes.of("k")), ahead.toString(), null);
		assertThat(versionOf(this.store.set("k", "v"))).isGreaterThan(ahead);
	}

}
