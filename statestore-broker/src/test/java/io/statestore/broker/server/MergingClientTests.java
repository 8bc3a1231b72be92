package io.statestore.broker.server;

import java.util.List;
import java.util.function.LongSupplier;

import io.statestore.broker.server.RecordingConnection.Draft;
import io.statestore.broker.server.RecordingConnection.Received;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.HybridLogicalClock;
import io.statestore.protocol.UserProperties;
import io.statestore.protocol.Version;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A client that merges the version of every reply into its own clock (protocol section
 * 4).
 */
class MergingClientTests {

	private static final Command SET = new Command.Set(Bytes.of("key"), Bytes.of("value"));

	private final long start = System.nanoTime();

	/** A clock that never goes back, unlike the machine's clock. */
	private final LongSupplier wallClock = () -> 1_700_000_000_000L + (System.nanoTime() - this.start) / 1_000_000;

	@AutoClose
	private final StateStoreServer server = new StateStoreServer(
			StateStoreServerOptions.defaults().withWallClock(this.wallClock));

	private final RecordingConnection client = RecordingConnection.to(this.server, "client");

	@ParameterizedTest
	@ValueSource(longs = { 0, -30_000 })
	void keepsStoreWithSystemClock(long offset) {
		HybridLogicalClock clock = new HybridLogicalClock("client", () -> this.wallClock.getAsLong() + offset);
		long lead = Long.MIN_VALUE;
		for (int i = 0; i < 20_000; i++) {
			Draft draft = this.client.draft(SET);
			draft.userProperties = List.of(new UserProperty(UserProperties.TIMESTAMP, clock.tick().toPaddedString()));
			Received reply = RecordingConnection.received(this.client.exchange(draft));
			Version version = reply.version();
			lead = Math.max(lead, version.wallMillis() - this.wallClock.getAsLong());
			clock.receive(version);
		}
		assertThat(lead).as("lead of the store over the system clock, in milliseconds").isLessThanOrEqualTo(1);
	}

}
