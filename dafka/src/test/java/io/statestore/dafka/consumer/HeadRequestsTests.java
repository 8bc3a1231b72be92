package io.statestore.dafka.consumer;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.ReadingOptions;
import io.statestore.dafka.Ticker;
import io.statestore.dafka.reading.internal.Command;
import io.statestore.dafka.reading.internal.PartitionLimit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** A consumer's requests for the heads of stores. */
class HeadRequestsTests {

	private static final Bytes ADDRESS = Bytes.of("CONSUMER");

	private static final Bytes STORE = Bytes.of("STORE");

	private static final Bytes TOPIC = Bytes.of("t");

	private static final long INTERVAL = TimeUnit.SECONDS.toNanos(10);

	private final RecordingOutput output = new RecordingOutput();

	@ParameterizedTest(name = "beginning at {0}")
	@ValueSource(longs = { -1, 0 })
	void requestsHeadsWithAnyOffsetReset(long beginning) {
		ConsumerMachine machine = machine(beginning);
		machine.subscribed("G".getBytes(StandardCharsets.US_ASCII), 1);
		machine.subscribed("WSTORE".getBytes(StandardCharsets.US_ASCII), 1);
		assertThat(this.output.sent).containsExactly(new Command.GetHeads(TOPIC, ADDRESS),
				new Command.ConsumerHello(STORE, ADDRESS, List.of(TOPIC)));
		this.output.sent.clear();
		machine.work(INTERVAL);
		assertThat(this.output.sent).isEmpty();
		machine.work(1 + INTERVAL);
		assertThat(this.output.sent).containsExactly(new Command.GetHeads(TOPIC, ADDRESS));
	}

	private ConsumerMachine machine(long beginning) {
		Delivery delivery = new Delivery("listener", new ListenerCalls((record) -> {
		}), new WaitingRecords(1_000, 1 << 20), OffsetStore.memory(), Duration.ofSeconds(1), Ticker.SYSTEM);
		return new ConsumerMachine(ADDRESS, Set.of(TOPIC), ReadingOptions.defaults(), INTERVAL, INTERVAL, Map.of(),
				beginning, new PartitionLimit(10), this.output, delivery, 1);
	}

}
